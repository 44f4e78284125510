// Which ranks must be simulated so that the results are those of simulating all of them.
#pragma once

#include <span>

#include "overture/system/config.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/phase_run.h"
#include "overture/topology/hierarchy.h"

namespace overture::system {

// `used` are the collectives that will be issued; `contention` whether messages share links.
Scope exact_scope(const SystemConfig& config, std::span<const CollectiveKind> used,
                  const LogicalDimensions& logical, const topology::Hierarchy& machine, bool contention);

// On a network of so many ranks whose machines are dimension 0's groups and stand apart (see
// Network::ranks_of_machine()): does what the first one sends inside, along dimension 0, tell the same of
// all?
bool machines_alike(const SystemConfig& config, std::span<const CollectiveKind> used, int ranks);

}  // namespace overture::system
