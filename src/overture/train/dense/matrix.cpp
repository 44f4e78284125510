#include "overture/train/dense/matrix.h"

#include <cblas.h>

namespace overture::train {
namespace {

constexpr std::int64_t kOutputStripe = 256;  // for the reasons of kSampleStripe

// The threads are ours: OpenBLAS's own would split a product as it sees fit.
void use_one_thread() {
  static const bool once = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

void multiply(const ProductShape& shape, const Factor& a, const Factor& b, const Product& product) {
  use_one_thread();
  const auto as_int = [](std::int64_t n) { return static_cast<blasint>(n); };
  const auto order = [](const Factor& factor) { return factor.transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasRowMajor, order(a), order(b), as_int(shape.rows), as_int(shape.columns),
              as_int(shape.inner), 1.0f, a.data, as_int(a.stride), b.data, as_int(b.stride),
              product.add ? 1.0f : 0.0f, product.data, as_int(product.stride));
}

void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y, Workers& workers,
                    const StripeDone& done) {
  workers.ranges(shape.samples, kSampleStripe, [&](std::int64_t from, std::int64_t to) {
    multiply({to - from, shape.outputs, shape.inputs}, {x + from * shape.inputs, shape.inputs},
             {w, shape.inputs, true}, {y + from * shape.outputs, shape.outputs});
    done(from, to);
  });
}

void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           Workers& workers, const StripeDone& done) {
  workers.ranges(shape.samples, kSampleStripe, [&](std::int64_t from, std::int64_t to) {
    multiply({to - from, shape.inputs, shape.outputs}, {dy + from * shape.outputs, shape.outputs},
             {w, shape.inputs}, {dx + from * shape.inputs, shape.inputs});
    done(from, to);
  });
}

void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dw,
                            Workers& workers) {
  workers.ranges(shape.outputs, kOutputStripe, [&](std::int64_t from, std::int64_t to) {
    multiply({to - from, shape.inputs, shape.samples}, {dy + from, shape.outputs, true}, {x, shape.inputs},
             {dw + from * shape.inputs, shape.inputs});
  });
}

}  // namespace overture::train
