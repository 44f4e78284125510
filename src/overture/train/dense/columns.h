// Matrices side by side, and apart again: what models do between their parts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "overture/train/dense/matrix.h"

namespace overture::train {

// out = a beside b; samples x (a_width + b_width).
inline void join_columns(std::int64_t samples, const float* a, std::int64_t a_width, const float* b,
                         std::int64_t b_width, float* out, Workers& workers) {
  workers.ranges(samples, 64, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t s = from; s < to; ++s) {
      float* const row = out + s * (a_width + b_width);
      std::copy_n(a + s * a_width, a_width, row);
      std::copy_n(b + s * b_width, b_width, row + a_width);
    }
  });
}

// The same backwards.
inline void split_columns(std::int64_t samples, const float* in, float* a, std::int64_t a_width, float* b,
                          std::int64_t b_width, Workers& workers) {
  workers.ranges(samples, 64, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t s = from; s < to; ++s) {
      const float* const row = in + s * (a_width + b_width);
      std::copy_n(row, a_width, a + s * a_width);
      std::copy_n(row + a_width, b_width, b + s * b_width);
    }
  });
}

}  // namespace overture::train
