// The order of a training step for every kind of parallelism: what is computed, what is communicated, and who
// waits for what. Each is a few lines of straight code; adding one is one function and one line in
// training_loop().
#pragma once

#include "overture/workload/loop.h"
#include "overture/workload/trainer.h"

namespace overture::workload {

// `trainer` outlives the loop.
Loop training_loop(Trainer& trainer);

}  // namespace overture::workload
