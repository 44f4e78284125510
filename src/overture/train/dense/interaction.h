// DLRM's dot interaction: the products of every pair of a sample's vectors (the bottom MLP's output and the
// pooled row of each table), behind the first vector itself. Compiled for any machine and for AVX2, with the
// same operations in the same order (as embedding/kernels.h).
#pragma once

#include <cstdint>

namespace overture::train {

struct InteractionShape {
  std::int64_t tables = 0;
  std::int64_t dim = 0;
  bool itself = false;  // also every vector with itself

  std::int64_t vectors() const { return tables + 1; }
  std::int64_t pairs() const { return vectors() * (vectors() + (itself ? 1 : -1)) / 2; }
  std::int64_t outputs() const { return dim + pairs(); }
};

constexpr std::int64_t kMostVectors = 512;
constexpr std::int64_t kMostNumbers = 1 << 16;  // of all vectors of a sample, padded to eight of them

// Per sample: x has dim numbers, e tables*dim, y outputs().
struct InteractionJob {
  InteractionShape shape;
  const float* x;
  const float* e;
  std::int64_t from;  // samples
  std::int64_t to;
};

struct InteractionLoops {
  void (*forward)(const InteractionJob& job, float* y);
  void (*backward)(const InteractionJob& job, const float* dy, float* dx, float* de);
};

const InteractionLoops& portable_interaction();
const InteractionLoops* avx2_interaction();  // null where there is no AVX2
const InteractionLoops& interaction();

}  // namespace overture::train
