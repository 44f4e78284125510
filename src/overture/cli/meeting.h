// How the processes of a training run find each other: started by mpirun or srun, or by hand with the flags
// of Bagpipe.
#pragma once

#include <optional>

#include "overture/cli/command.h"
#include "overture/setup/by_hand.h"
#include "overture/setup/remote_training.h"

namespace overture::cli {

using setup::Role;

struct MeetingFlags : setup::ByHand {
  bool by_hand() const { return worker_id || world_size; }
};

void add_meeting_flags(Command& command, MeetingFlags& flags);

// Meets the others. None when this process is alone: then all parties are its threads. `trainers` and
// `servers` are those of the setup; under mpirun, one of each means as many as there are processes. Throws
// UserError. The transport lives until the program ends, so that a message is printed before it waits for
// the others.
std::optional<setup::Meeting> meet(Role role, const MeetingFlags& flags, int trainers, int servers);

}  // namespace overture::cli
