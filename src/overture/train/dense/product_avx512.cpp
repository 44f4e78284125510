// Compiled for AVX-512 where the compiler can (see CMakeLists.txt).
#include "overture/train/dense/product_loops.h"

namespace overture::train {

const ProductLoops* avx512_product() {
#ifdef __AVX512F__
  return __builtin_cpu_supports("avx512f") != 0 ? &Loops<16, 8, 3>::kLoops : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace overture::train
