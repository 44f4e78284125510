#include "overture/train/dense/matrix.h"

#include <cblas.h>

namespace overture::train {
namespace {

// Tall enough for the full speed of a product, low enough to keep several cores busy.
constexpr std::int64_t kSampleStripe = 256;
constexpr std::int64_t kOutputStripe = 128;

// The threads are ours: OpenBLAS's own would split a product as it sees fit.
void use_one_thread() {
  static const bool once = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

struct Operand {
  const float* data;
  std::int64_t stride;
  CBLAS_TRANSPOSE transpose;
};

// c = a b, with c rows x columns.
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, const Operand& a, const Operand& b,
              float* c) {
  const auto as_int = [](std::int64_t n) { return static_cast<blasint>(n); };
  cblas_sgemm(CblasRowMajor, a.transpose, b.transpose, as_int(rows), as_int(columns), as_int(inner), 1.0f,
              a.data, as_int(a.stride), b.data, as_int(b.stride), 0.0f, c, as_int(columns));
}

}  // namespace

void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y, Workers& workers,
                    const StripeDone& done) {
  use_one_thread();
  workers.ranges(shape.samples, kSampleStripe, [&](std::int64_t from, std::int64_t to) {
    multiply(to - from, shape.outputs, shape.inputs, {x + from * shape.inputs, shape.inputs, CblasNoTrans},
             {w, shape.inputs, CblasTrans}, y + from * shape.outputs);
    done(from, to);
  });
}

void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           Workers& workers) {
  use_one_thread();
  workers.ranges(shape.samples, kSampleStripe, [&](std::int64_t from, std::int64_t to) {
    multiply(to - from, shape.inputs, shape.outputs, {dy + from * shape.outputs, shape.outputs, CblasNoTrans},
             {w, shape.inputs, CblasNoTrans}, dx + from * shape.inputs);
  });
}

void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x, float* dw,
                            Workers& workers, const StripeDone& done) {
  use_one_thread();
  workers.ranges(shape.outputs, kOutputStripe, [&](std::int64_t from, std::int64_t to) {
    multiply(to - from, shape.inputs, shape.samples, {dy + from, shape.outputs, CblasTrans},
             {x, shape.inputs, CblasNoTrans}, dw + from * shape.inputs);
    done(from, to);
  });
}

}  // namespace overture::train
