// Processes of a training run that were started by hand, with Bagpipe's numbers, and find each other at the
// oracle's address.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "overture/rpc/transport.h"
#include "overture/train/messages.h"

namespace overture::setup {

// What a process was started as: `any` takes what is left under mpirun.
enum class Role : int { any, oracle, trainer, server };

struct ByHand {
  std::optional<int> worker_id;   // oracle 0, then trainers, then servers
  std::optional<int> world_size;  // of all processes
  std::optional<int> world_size_trainers;
  std::string master_ip = "127.0.0.1";
  int master_port = 18000;  // as Bagpipe
  int timeout = 60;         // seconds to wait for those who have not come

  // What the numbers are called where they were given.
  struct Names {
    const char* worker_id = "--worker-id";
    const char* world_size = "--world-size";
    const char* world_size_trainers = "--world-size-trainers";
    const char* master_port = "--master-port";
  } names;
};

// Who takes part. Throws UserError when the numbers do not fit each other or the role.
train::Parties parties_of(Role role, const ByHand& given);

// Waits for all others. Throws UserError.
std::unique_ptr<rpc::Transport> meet_by_hand(const ByHand& given, const train::Parties& parties);

}  // namespace overture::setup
