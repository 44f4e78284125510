// How much memory a run may take: for those who would rather refuse one than be ended by the system.
#pragma once

#include <optional>

#include "overture/base/units.h"

namespace overture {

// What programs can still get without swapping: of the machine, or of the control group that this process is
// in. Nothing where the system does not say.
std::optional<Bytes> free_memory();

}  // namespace overture
