#include "overture/cli/meeting.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "overture/base/error.h"
#ifdef OVERTURE_MPI
#include "overture/rpc/mpi.h"
#include "overture/setup/mpi_roles.h"
#endif

namespace overture::cli {
namespace {

// Buffers of messages come and go in every step. Given back to the system each time, their pages cost a third
// of the CPU time of a message of 10 MB over ZeroMQ.
void keep_freed_memory() {
  constexpr int kAlways = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kAlways);
  mallopt(M_TRIM_THRESHOLD, kAlways);
}

// Set by mpirun, and by srun where it starts processes of MPI.
bool started_by_mpi() {
  return std::ranges::any_of(std::vector{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"},
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

// Without MPI, each of them would train the whole model.
void refuse_strangers_of_slurm() {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks == nullptr || std::atoi(tasks) < 2) return;
  throw UserError(fmt::format("srun has started {} processes that do not know each other", tasks),
                  "start them with srun --mpi=pmix, or give every process its --worker-id");
}

#ifdef OVERTURE_MPI

std::optional<setup::Meeting> meet_by_mpi(Role role, int trainers, int servers) {
  static std::unique_ptr<rpc::Mpi> mpi;  // MPI can be started once, and ends with the program
  train::Parties parties;
  bool alone = false;
  mpi = std::make_unique<rpc::Mpi>(static_cast<int>(role), [&](const std::vector<int>& said) {
    alone = said.size() == 1 && role == Role::any;
    if (alone) return std::vector{rpc::Address{0}};
    parties = setup::parties_of_roles(said, trainers, servers);
    return setup::addresses_of_roles(said, parties);
  });
  if (alone) return std::nullopt;
  return setup::Meeting{.transport = mpi.get(), .parties = parties, .self = mpi->self()};
}

#endif

std::optional<setup::Meeting> meet_by_hand(Role role, const MeetingFlags& flags) {
  static std::unique_ptr<rpc::Transport> mesh;  // what is said last is sent while the program ends
  const train::Parties parties = setup::parties_of(role, flags);
  mesh = setup::meet_by_hand(flags, parties);
  return setup::Meeting{.transport = mesh.get(), .parties = parties, .self = rpc::Address{*flags.worker_id}};
}

}  // namespace

void add_meeting_flags(Command& command, MeetingFlags& flags) {
  command
      .option("--worker-id", flags.worker_id, "Number of this process: oracle 0, then trainers, then servers")
      .option("--world-size", flags.world_size, "Number of processes: oracle, trainers and servers together")
      .option("--world-size-trainers", flags.world_size_trainers, "Number of trainers")
      .option("--master-ip ADDRESS", flags.master_ip, "Address of the oracle's machine")
      .option("--master-port", flags.master_port, "Port at which the oracle waits for the other processes")
      .option("--timeout", flags.timeout, "Seconds to wait for the other processes");
}

std::optional<setup::Meeting> meet(Role role, const MeetingFlags& flags, [[maybe_unused]] int trainers,
                                   [[maybe_unused]] int servers) {
  if (flags.by_hand() || started_by_mpi()) keep_freed_memory();
  if (started_by_mpi() && !flags.by_hand()) {
#ifdef OVERTURE_MPI
    return meet_by_mpi(role, trainers, servers);
#else
    throw UserError("this overture was built without MPI",
                    "install libopenmpi-dev and build again, or start processes with --worker-id");
#endif
  }
  if (role != Role::any && flags.by_hand()) return meet_by_hand(role, flags);
  refuse_strangers_of_slurm();
  return std::nullopt;
}

}  // namespace overture::cli
