// Who is who in a training run that mpirun or srun has started: every process knows what it was started as,
// and all of these together say who takes part.
#pragma once

#include <vector>

#include "overture/rpc/message.h"
#include "overture/setup/by_hand.h"
#include "overture/train/messages.h"

namespace overture::setup {

// `said` has the Role of every process, by rank. Where all are `any`, the setup says who does what, and one
// trainer means as many as there are processes. Throws UserError when they do not make a run.
train::Parties parties_of_roles(const std::vector<int>& said, int trainers, int servers);

// The party that every rank is: `any` by rank, others in the order of ranks.
std::vector<rpc::Address> addresses_of_roles(const std::vector<int>& said, const train::Parties& parties);

}  // namespace overture::setup
