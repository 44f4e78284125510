// Compiled for AVX2 where the compiler can (see CMakeLists.txt).
#include "overture/train/dense/product_loops.h"

namespace overture::train {

const ProductLoops* avx2_product() {
#if defined(__AVX2__) && defined(__FMA__)
  const bool here = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return here ? &Loops<8, 6, 2>::kLoops : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace overture::train
