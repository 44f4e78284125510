// Compiled for AVX2 where the compiler can (see CMakeLists.txt).
#include "overture/train/dense/interaction_loops.h"

namespace overture::train {

const InteractionLoops* avx2_interaction() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0 ? &kLoops : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace overture::train
