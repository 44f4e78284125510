// The inner loops over rows: pooled gather, gradient sums, updates. Compiled twice, for any machine and for
// AVX2, and chosen when the program starts; both do the same operations on every number in the same order and
// never fuse a multiplication with an addition, so that results do not depend on the machine.
#pragma once

#include <cstdint>

#include "overture/embedding/optimizer.h"

namespace overture::embedding {

// Pools the lookups of samples [from, to) in one table.
struct PoolJob {
  float* const* rows;            // of the batch, by number
  const std::uint32_t* lookups;  // numbers of rows, sample after sample
  const std::uint32_t* offsets;  // where a sample's lookups start, samples+1 of them; null: one lookup each
  const float* scales;           // one per lookup; null: all 1
  std::int32_t dim;
  float* out;               // of sample 0
  std::int64_t out_stride;  // floats from sample to sample
  std::int64_t from;
  std::int64_t to;
  std::int64_t samples;  // all there are: rows are asked for beyond `to`, for whoever goes on there
};

// The gradients of rows [from, to) of the batch, each the sum over the row's lookups, in their order.
struct SumJob {
  const std::uint32_t* starts;  // rows+1: where a row's lookups start in the two below
  const std::uint64_t* places;  // of the gradient that a lookup gets, in floats from `gradients`
  const float* scales;          // one per lookup; null: all 1
  const float* gradients;
  std::int32_t dim;
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t rows;  // all there are, as above
};

struct Kernels {
  void (*pool)(const PoolJob& job);
  // sums[i] is where the gradient of row from+i goes.
  void (*sum)(const SumJob& job, float* const* sums);
  // Sums and updates in the same visit; rows[i] is row i of the batch.
  void (*update)(const SumJob& job, const UpdateRule& rule, float* const* rows);
  // Updates one row by a gradient that has been summed.
  void (*apply)(const UpdateRule& rule, std::int32_t dim, const float* gradient, float* row);
  // into += from
  void (*add)(std::int64_t count, const float* from, float* into);
};

const Kernels& portable_kernels();
// Null when the machine or the compiler has no AVX2.
const Kernels* avx2_kernels();
// The fastest that this machine runs.
const Kernels& kernels();

}  // namespace overture::embedding
