#include "overture/train/dense/product.h"

namespace overture::train {

const ProductLoops& product_loops() {
  static const ProductLoops& best = avx512_product() != nullptr ? *avx512_product()
                                    : avx2_product() != nullptr ? *avx2_product()
                                                                : portable_product();
  return best;
}

}  // namespace overture::train
