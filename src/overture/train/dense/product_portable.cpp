#include "overture/train/dense/product_loops.h"

namespace overture::train {

const ProductLoops& portable_product() { return Loops<4, 4, 2>::kLoops; }

}  // namespace overture::train
