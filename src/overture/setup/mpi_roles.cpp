#include "overture/setup/mpi_roles.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::setup {
namespace {

int count(const std::vector<int>& said, Role role) {
  return static_cast<int>(std::ranges::count(said, static_cast<int>(role)));
}

// All are `overture train`: the setup says who does what.
train::Parties share_out(int processes, int trainers, int servers) {
  if (trainers == 1 && servers <= 1 && processes > 1 + servers) trainers = processes - 1 - servers;
  if (processes == 1 + trainers + servers) return {trainers, servers};
  throw UserError(
      fmt::format("{} processes were started; {} trainers, {} servers and an oracle are {}", processes,
                  trainers, servers, 1 + trainers + servers),
      fmt::format("start {}, or change trainers and servers in the setup", 1 + trainers + servers));
}

train::Parties as_said(const std::vector<int>& said) {
  const train::Parties parties{count(said, Role::trainer), count(said, Role::server)};
  if (count(said, Role::oracle) == 1 && parties.trainers > 0 && parties.count() == std::ssize(said))
    return parties;
  throw UserError(fmt::format("{} oracles, {} servers and {} trainers were started, {} processes in all",
                              count(said, Role::oracle), parties.servers, parties.trainers, said.size()),
                  "a run has one oracle, at least one trainer, and servers; or all are `overture train`");
}

}  // namespace

train::Parties parties_of_roles(const std::vector<int>& said, int trainers, int servers) {
  const int processes = static_cast<int>(said.size());
  return count(said, Role::any) == processes ? share_out(processes, trainers, servers) : as_said(said);
}

std::vector<rpc::Address> addresses_of_roles(const std::vector<int>& said, const train::Parties& parties) {
  int trainers = 0;
  int servers = 0;
  std::vector<rpc::Address> result;
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    switch (static_cast<Role>(said[rank])) {
      case Role::any: result.push_back(rpc::Address{static_cast<std::int32_t>(rank)}); break;
      case Role::oracle: result.push_back(parties.oracle()); break;
      case Role::trainer: result.push_back(parties.trainer(trainers++)); break;
      case Role::server: result.push_back(parties.server(servers++)); break;
    }
  }
  return result;
}

}  // namespace overture::setup
