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

}  // namespace overture::system
