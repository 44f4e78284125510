#include "overture/setup/by_hand.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "overture/base/error.h"
#ifdef OVERTURE_ZMQ
#include "overture/rpc/mesh.h"
#endif

namespace overture::setup {
namespace {

void check_numbers(Role role, const ByHand& given, const train::Parties& parties) {
  if (parties.trainers < 1 || parties.servers < (role == Role::server ? 1 : 0)) {
    throw UserError({.key = given.names.world_size},
                    fmt::format("{} processes with {} trainers leave {} servers", *given.world_size,
                                parties.trainers, std::max(parties.servers, 0)),
                    "it counts the oracle, the trainers and the servers");
  }
  const int id = *given.worker_id;
  const auto [first, last] = role == Role::oracle    ? std::pair(0, 0)
                             : role == Role::trainer ? std::pair(1, parties.trainers)
                                                     : std::pair(1 + parties.trainers, parties.count() - 1);
  if (id < first || id > last) {
    throw UserError({.key = given.names.worker_id},
                    fmt::format("{} is wrong for this process: {}", id,
                                first == last ? fmt::format("it is {}", first)
                                              : fmt::format("it is from {} to {}", first, last)),
                    "the oracle is 0, then come the trainers, then the servers");
  }
  if (given.master_port < 1 || given.master_port > 65535)
    throw UserError({.key = given.names.master_port}, fmt::format("{} is not a port", given.master_port));
}

}  // namespace

// Bagpipe's servers and trainers are told less than they could be: there is one server.
train::Parties parties_of(Role role, const ByHand& given) {
  if (!given.worker_id || !given.world_size) {
    throw UserError(
        {.key = given.worker_id ? given.names.world_size : given.names.worker_id}, "is missing",
        fmt::format("processes started by hand need both, and {}", given.names.world_size_trainers));
  }
  const int trainers = given.world_size_trainers.value_or(*given.world_size - 2);
  const train::Parties parties{trainers, *given.world_size - 1 - trainers};
  check_numbers(role, given, parties);
  return parties;
}

#ifdef OVERTURE_ZMQ
std::unique_ptr<rpc::Transport> meet_by_hand(const ByHand& given, const train::Parties& parties) {
  return std::make_unique<rpc::Mesh>(
      rpc::MeshConfig{.self = rpc::Address{*given.worker_id},
                      .count = parties.count(),
                      .master_ip = given.master_ip == "localhost" ? "127.0.0.1" : given.master_ip,
                      .master_port = given.master_port,
                      .timeout = std::chrono::seconds(std::max(1, given.timeout)),
                      .terms = fmt::format("{} trainers and {} servers", parties.trainers, parties.servers),
                      .names = [parties](rpc::Address party) { return parties.name(party); }});
}
#else
std::unique_ptr<rpc::Transport> meet_by_hand(const ByHand& /*given*/, const train::Parties& /*parties*/) {
  throw UserError("this overture was built without ZeroMQ", "install libzmq3-dev and build again");
}
#endif

}  // namespace overture::setup
