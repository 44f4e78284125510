#include "overture/embedding/kernels_loops.h"

namespace overture::embedding {

const Kernels& portable_kernels() { return kLoops; }

}  // namespace overture::embedding
