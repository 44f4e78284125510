// The three products of a linear layer, shared out among threads. The work is cut into stripes of the result,
// which do not change it (product.h).
#pragma once

#include <cstdint>

#include "overture/embedding/workers.h"
#include "overture/train/dense/product.h"

namespace overture::train {

using embedding::Workers;

struct LinearShape {
  std::int64_t samples;
  std::int64_t inputs;
  std::int64_t outputs;
};

// Of a loop over samples that a thread takes at a time.
constexpr std::int64_t kSamplesAtOnce = 64;

// y = x w^T: x samples x inputs, w outputs x inputs, y samples x outputs.
void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y,
                    const AroundProduct& around, Workers& workers);
// dx = dy w
void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           const AroundProduct& around, Workers& workers);
// weights = dy^T x, biases: the sums of dy's columns, unless null.
struct LinearGradients {
  float* weights;
  float* biases;
};
void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x,
                            const LinearGradients& gradients, Workers& workers);

// product = a b in the calling thread, for products that are too small to share out.
void multiply(const ProductShape& shape, const Factor& a, const Factor& b, const Product& product);

}  // namespace overture::train
