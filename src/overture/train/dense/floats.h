// Floats: many numbers, on huge pages where they are worth it: rows of a matrix that lie a page apart would
// otherwise cost a matrix product a third of its speed.
#pragma once

#include "overture/base/huge_pages.h"

namespace overture::train {

using Floats = HugeVector<float>;

}  // namespace overture::train
