#include "overture/embedding/kernels.h"

namespace overture::embedding {

const Kernels& kernels() {
  static const Kernels& best = avx2_kernels() != nullptr ? *avx2_kernels() : portable_kernels();
  return best;
}

}  // namespace overture::embedding
