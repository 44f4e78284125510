// Compiled for AVX2 where the compiler can (see CMakeLists.txt).
#include "overture/embedding/kernels_loops.h"

namespace overture::embedding {

const Kernels* avx2_kernels() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0 ? &kLoops : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace overture::embedding
