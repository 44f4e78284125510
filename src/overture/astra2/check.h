// Everything that can be said of a run before time zero: nodes that lack what they need, ranks and groups
// that do not exist, memory that is not there.
#pragma once

#include "overture/astra2/config.h"
#include "overture/astra2/program.h"

namespace overture::astra2 {

// Throws UserError with the file, the node and the field.
void require_runnable(const Config& config, const Program& program, int npu);

}  // namespace overture::astra2
