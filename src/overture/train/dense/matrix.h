// The three products of a linear layer, on OpenBLAS. The work is cut into stripes of the result that depend
// on its shape only; a stripe is one single-threaded call. So a result is the same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "overture/embedding/workers.h"

namespace overture::train {

using embedding::Workers;

struct LinearShape {
  std::int64_t samples;
  std::int64_t inputs;
  std::int64_t outputs;
};

// Samples of a stripe, but for the last: tall enough for the full speed of a product, since every stripe
// packs the other operand again; low enough to keep several cores busy.
constexpr std::int64_t kSampleStripe = 512;

// Of a loop over samples that a thread takes at a time.
constexpr std::int64_t kSamplesAtOnce = 64;

// Called with the rows [from, to) of a result that are ready.
using StripeDone = std::function<void(std::int64_t from, std::int64_t to)>;

// y = x w^T: x samples x inputs, w outputs x inputs, y samples x outputs.
void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y, Workers& workers,
                    const StripeDone& done);
// dx = dy w
void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           Workers& workers, const StripeDone& done);
// dw = dy^T x; stripes of outputs.
void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dw,
                            Workers& workers);

// A part of a matrix: `stride` numbers from one row to the next.
struct Factor {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};
struct Product {
  float* data;
  std::int64_t stride;
  bool add = false;  // to what is there
};
struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

// product = a b in the calling thread, for products that are too small to share out.
void multiply(const ProductShape& shape, const Factor& a, const Factor& b, const Product& product);

}  // namespace overture::train
