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

// Called with the rows [from, to) of a result that are ready.
using StripeDone = std::function<void(std::int64_t from, std::int64_t to)>;

// y = x w^T: x samples x inputs, w outputs x inputs, y samples x outputs.
void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y, Workers& workers,
                    const StripeDone& done);
// dx = dy w
void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           Workers& workers);
// dw = dy^T x; stripes of outputs.
void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dw,
                            Workers& workers, const StripeDone& done);

}  // namespace overture::train
