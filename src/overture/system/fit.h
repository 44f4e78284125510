// Fits a configuration to the dimensions it will run on, and says what does not fit before time zero.
#pragma once

#include <span>
#include <string>

#include "overture/system/config.h"
#include "overture/system/logical_dimensions.h"
#include "overture/topology/hierarchy.h"

namespace overture::system {

// Gives both halves of a broken dimension its algorithm, and checks that every algorithm that will be used
// can run on its dimension and among groups of these sizes. Throws UserError; `file` is where the algorithms
// were written.
SystemConfig fit(SystemConfig config, std::span<const CollectiveKind> used, const LogicalDimensions& logical,
                 const topology::Hierarchy& machine, const std::string& file,
                 std::span<const int> group_sizes = {});

}  // namespace overture::system
