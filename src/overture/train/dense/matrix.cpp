#include "overture/train/dense/matrix.h"

#include <algorithm>
#include <numeric>

#include "overture/train/dense/floats.h"

namespace overture::train {
namespace {

constexpr std::int64_t kStripe = 128;  // rows of a product: as many as product_loops.h takes at once
constexpr std::int64_t kPackedAtOnce = 128;
constexpr std::int64_t kColumnsAtOnce = 512;

// Where the calling thread packs right factors, one after the other.
float* room_to_pack(const ProductShape& shape) {
  static thread_local Floats room;
  const auto size = static_cast<std::size_t>(product_loops().packed_size(shape));
  if (room.size() < size) room.resize(size);
  return room.data();
}

void multiply_shared(const ProductShape& shape, const Factor& left, const Factor& right,
                     const Product& product, const AroundProduct& around, Workers& workers) {
  const ProductLoops& loops = product_loops();
  float* const packed = room_to_pack(shape);
  workers.ranges(shape.inner, kPackedAtOnce,
                 [&](std::int64_t from, std::int64_t to) { loops.pack(shape, right, from, to, packed); });
  workers.ranges(shape.rows, kStripe, [&](std::int64_t from, std::int64_t to) {
    loops.multiply({shape, left, packed, product, around, from, to});
  });
}

// A product of one row reads the right factor once: putting it into order first would take longer than that.
void one_weight_gradient(const LinearShape& shape, const float* dy, const float* x,
                         const LinearGradients& gradients, Workers& workers) {
  workers.ranges(shape.inputs, kColumnsAtOnce, [&](std::int64_t from, std::int64_t to) {
    std::fill(gradients.weights + from, gradients.weights + to, 0.0f);
    for (std::int64_t s = 0; s < shape.samples; ++s)
      product_loops().add_multiple(to - from, dy[s], x + s * shape.inputs + from, gradients.weights + from);
  });
  if (gradients.biases != nullptr) *gradients.biases = std::accumulate(dy, dy + shape.samples, 0.0f);
}

}  // namespace

void linear_forward(const LinearShape& shape, const float* x, const float* w, float* y,
                    const AroundProduct& around, Workers& workers) {
  multiply_shared({shape.samples, shape.outputs, shape.inputs}, {x, shape.inputs}, {w, shape.inputs, true},
                  {y, shape.outputs}, around, workers);
  workers.done(Work::forward, {shape.samples, shape.inputs, shape.outputs});
}

void linear_input_gradient(const LinearShape& shape, const float* dy, const float* w, float* dx,
                           const AroundProduct& around, Workers& workers) {
  multiply_shared({shape.samples, shape.inputs, shape.outputs}, {dy, shape.outputs}, {w, shape.inputs},
                  {dx, shape.inputs}, around, workers);
  workers.done(Work::input_gradient, {shape.samples, shape.inputs, shape.outputs});
}

void linear_weight_gradient(const LinearShape& shape, const float* dy, const float* x,
                            const LinearGradients& gradients, Workers& workers) {
  if (shape.outputs == 1) {
    one_weight_gradient(shape, dy, x, gradients, workers);
  } else {
    multiply_shared({shape.outputs, shape.inputs, shape.samples}, {dy, shape.outputs, true},
                    {x, shape.inputs}, {gradients.weights, shape.inputs}, {.row_sums = gradients.biases},
                    workers);
  }
  workers.done(Work::weight_gradient, {shape.samples, shape.inputs, shape.outputs});
}

void multiply(const ProductShape& shape, const Factor& a, const Factor& b, const Product& product) {
  const ProductLoops& loops = product_loops();
  float* const packed = room_to_pack(shape);
  loops.pack(shape, b, 0, shape.inner, packed);
  loops.multiply({shape, a, packed, product, {}, 0, shape.rows});
}

}  // namespace overture::train
