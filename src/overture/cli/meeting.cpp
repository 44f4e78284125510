#include "overture/cli/meeting.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#ifdef OVERTURE_MPI
#include "overture/rpc/mpi.h"
#endif
#ifdef OVERTURE_ZMQ
#include "overture/rpc/mesh.h"
#endif

namespace overture::cli {
namespace {

// Set by mpirun, and by srun where it starts processes of MPI.
bool started_by_mpi() {
  return std::ranges::any_of(std::vector{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"},
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

#ifdef OVERTURE_MPI

int count(const std::vector<int>& said, Role role) {
  return static_cast<int>(std::ranges::count(said, static_cast<int>(role)));
}

// All are `overture train`: the setup says who does what.
train::Parties share_out(int processes, int trainers, int servers) {
  if (trainers == 1 && servers == 1 && processes > 2) trainers = processes - 2;
  if (processes == 1 + trainers + servers) return {trainers, servers};
  throw UserError(
      fmt::format("{} processes were started; {} trainers, {} servers and an oracle are {}", processes,
                  trainers, servers, 1 + trainers + servers),
      fmt::format("start {}, or change trainers and servers in the setup", 1 + trainers + servers));
}

train::Parties as_said(const std::vector<int>& said) {
  const train::Parties parties{count(said, Role::trainer), count(said, Role::server)};
  if (count(said, Role::oracle) == 1 && parties.trainers > 0 && parties.servers > 0 &&
      parties.count() == std::ssize(said))
    return parties;
  throw UserError(
      fmt::format("{} oracles, {} servers and {} trainers were started, {} processes in all",
                  count(said, Role::oracle), parties.servers, parties.trainers, said.size()),
      "a run has one oracle, and at least one server and one trainer; or all are `overture train`");
}

// Oracles, trainers and servers in the order of ranks.
std::vector<rpc::Address> addresses(const std::vector<int>& said, const train::Parties& parties) {
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

std::optional<setup::Meeting> meet_by_mpi(Role role, int trainers, int servers) {
  static std::unique_ptr<rpc::Mpi> mpi;  // MPI can be started once, and ends with the program
  train::Parties parties;
  bool alone = false;
  mpi = std::make_unique<rpc::Mpi>(static_cast<int>(role), [&](const std::vector<int>& said) {
    alone = said.size() == 1 && role == Role::any;
    if (alone) return std::vector{rpc::Address{0}};
    const int processes = static_cast<int>(said.size());
    parties = count(said, Role::any) == processes ? share_out(processes, trainers, servers) : as_said(said);
    return addresses(said, parties);
  });
  if (alone) return std::nullopt;
  return setup::Meeting{.transport = mpi.get(), .parties = parties, .self = mpi->self()};
}

#endif

void check_numbers(Role role, const MeetingFlags& flags, const train::Parties& parties) {
  if (parties.trainers < 1 || parties.servers < 1) {
    throw UserError({.key = "--world-size"},
                    fmt::format("{} processes with {} trainers leave {} servers", *flags.world_size,
                                parties.trainers, std::max(parties.servers, 0)),
                    "it counts the oracle, the trainers and at least one server");
  }
  const int id = *flags.worker_id;
  const auto [first, last] = role == Role::oracle    ? std::pair(0, 0)
                             : role == Role::trainer ? std::pair(1, parties.trainers)
                                                     : std::pair(1 + parties.trainers, parties.count() - 1);
  if (id < first || id > last) {
    throw UserError({.key = "--worker-id"},
                    fmt::format("{} is not one for this process: {}", id,
                                first == last ? fmt::format("it is {}", first)
                                              : fmt::format("it is from {} to {}", first, last)),
                    "the oracle is 0, then come the trainers, then the servers");
  }
  if (flags.master_port < 1 || flags.master_port > 65535)
    throw UserError({.key = "--master-port"}, fmt::format("{} is not a port", flags.master_port));
}

// Bagpipe's servers and trainers are told less than they could be: there is one server.
train::Parties by_hand_parties(Role role, const MeetingFlags& flags) {
  if (!flags.worker_id || !flags.world_size) {
    throw UserError({.key = flags.worker_id ? "--world-size" : "--worker-id"}, "is missing",
                    "processes started by hand need both, and --world-size-trainers");
  }
  const int trainers = flags.world_size_trainers.value_or(*flags.world_size - 2);
  const train::Parties parties{trainers, *flags.world_size - 1 - trainers};
  check_numbers(role, flags, parties);
  return parties;
}

std::optional<setup::Meeting> meet_by_hand(Role role, const MeetingFlags& flags) {
  const train::Parties parties = by_hand_parties(role, flags);
#ifdef OVERTURE_ZMQ
  static std::unique_ptr<rpc::Mesh> mesh;  // what is said last is sent while the program ends
  const rpc::Address self{*flags.worker_id};
  mesh = std::make_unique<rpc::Mesh>(
      rpc::MeshConfig{.self = self,
                      .count = parties.count(),
                      .master_ip = flags.master_ip == "localhost" ? "127.0.0.1" : flags.master_ip,
                      .master_port = flags.master_port,
                      .timeout = std::chrono::seconds(std::max(1, flags.timeout)),
                      .terms = fmt::format("{} trainers and {} servers", parties.trainers, parties.servers),
                      .names = [parties](rpc::Address party) { return parties.name(party); }});
  return setup::Meeting{.transport = mesh.get(), .parties = parties, .self = self};
#else
  throw UserError("this overture was built without ZeroMQ", "install libzmq3-dev and build again");
#endif
}

}  // namespace

void add_meeting_flags(Command& command, MeetingFlags& flags) {
  command
      .option("--worker-id", flags.worker_id, "Number of this process: oracle 0, then trainers, then servers")
      .option("--world-size", flags.world_size, "Number of processes: oracle, trainers and servers together")
      .option("--world-size-trainers", flags.world_size_trainers, "Number of trainers")
      .option("--master-ip", flags.master_ip, "Where the oracle runs")
      .option("--master-port", flags.master_port, "Port at which the oracle waits for the others")
      .option("--timeout", flags.timeout, "Seconds to wait for processes that have not come");
}

std::optional<setup::Meeting> meet(Role role, const MeetingFlags& flags, [[maybe_unused]] int trainers,
                                   [[maybe_unused]] int servers) {
  if (started_by_mpi() && !flags.by_hand()) {
#ifdef OVERTURE_MPI
    return meet_by_mpi(role, trainers, servers);
#else
    throw UserError("this overture was built without MPI",
                    "install libopenmpi-dev and build again, or start processes with --worker-id");
#endif
  }
  if (role != Role::any && flags.by_hand()) return meet_by_hand(role, flags);
  return std::nullopt;
}

}  // namespace overture::cli
