// The loops behind interaction.h, included by one source file per instruction set; no standard library here.
#pragma once

#include "overture/train/dense/interaction.h"

namespace overture::train {
namespace {

typedef float Eight __attribute__((vector_size(32)));
constexpr std::int64_t kLanes = 8;

[[gnu::always_inline]] inline Eight load(const float* from) {
  Eight value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
[[gnu::always_inline]] inline void store(float* to, Eight value) {
  __builtin_memcpy(to, &value, sizeof value);
}
[[gnu::always_inline]] inline Eight all(float value) {
  return Eight{value, value, value, value, value, value, value, value};
}

[[gnu::always_inline]] inline std::int64_t padded(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

[[gnu::always_inline]] inline const float* vector_of(const InteractionJob& job, std::int64_t sample,
                                                     std::int64_t v) {
  const std::int64_t dim = job.shape.dim;
  return v == 0 ? job.x + sample * dim : job.e + (sample * job.shape.tables + v - 1) * dim;
}

// The products of one vector with those from `from` on: column k of all vectors stands together, so that no
// sum runs across a register, and several sums are under way at once.
template <int Vectors>
[[gnu::always_inline]] inline void products(std::int64_t dim, const float* row, const float* columns,
                                            std::int64_t width, float* out) {
  Eight sum[Vectors] = {};
  for (std::int64_t k = 0; k < dim; ++k) {
    const Eight factor = all(row[k]);
    for (int v = 0; v < Vectors; ++v) sum[v] += factor * load(columns + k * width + v * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(out + v * kLanes, sum[v]);
}

// The first `count` products, and, behind them, some that nobody wants.
[[gnu::always_inline]] inline void all_products(std::int64_t dim, const float* row, const float* columns,
                                                std::int64_t width, std::int64_t count, float* out) {
  std::int64_t j = 0;
  for (; j + 3 * kLanes < count; j += 4 * kLanes) products<4>(dim, row, columns + j, width, out + j);
  for (; j + kLanes < count; j += 2 * kLanes) products<2>(dim, row, columns + j, width, out + j);
  if (j < count) products<1>(dim, row, columns + j, width, out + j);
}

inline void forward(const InteractionJob& job, float* y) {
  const InteractionShape& shape = job.shape;
  const std::int64_t width = padded(shape.vectors());
  alignas(32) static thread_local float columns[kMostNumbers];
  alignas(32) float row[kMostVectors + 4 * kLanes];
  for (std::int64_t s = job.from; s < job.to; ++s) {
    float* out = y + s * shape.outputs();
    for (std::int64_t v = 0; v < width; ++v) {
      const float* const from = v < shape.vectors() ? vector_of(job, s, v) : nullptr;
      for (std::int64_t k = 0; k < shape.dim; ++k) columns[k * width + v] = from == nullptr ? 0 : from[k];
    }
    __builtin_memcpy(out, vector_of(job, s, 0), static_cast<unsigned long>(shape.dim) * sizeof(float));
    out += shape.dim;
    for (std::int64_t i = 0; i < shape.vectors(); ++i) {
      const std::int64_t count = i + (shape.itself ? 1 : 0);
      all_products(shape.dim, vector_of(job, s, i), columns, width, count, row);
      __builtin_memcpy(out, row, static_cast<unsigned long>(count) * sizeof(float));
      out += count;
    }
  }
}

// Where the gradient of vector i is written.
[[gnu::always_inline]] inline float* gradient_of(const InteractionJob& job, std::int64_t sample,
                                                 std::int64_t i, float* dx, float* de) {
  const std::int64_t dim = job.shape.dim;
  return i == 0 ? dx + sample * dim : de + (sample * job.shape.tables + i - 1) * dim;
}

// d(vector i) = sum over j of (dz_ij + dz_ji) times vector j, in the order of j; a product with itself counts
// twice. Of some vectors from i on, at the columns from k on, so that several sums are under way at once.
template <int Rows, int Vectors>
[[gnu::always_inline]] inline void gradients(const InteractionJob& job, std::int64_t sample,
                                             const float* factors, std::int64_t i, std::int64_t k,
                                             const float* start, float* dx, float* de) {
  const std::int64_t n = job.shape.vectors();
  Eight sum[Rows][Vectors] = {};
  if (i == 0) {
    for (int v = 0; v < Vectors; ++v) sum[0][v] = load(start + k + v * kLanes);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    const float* const from = vector_of(job, sample, j) + k;
    for (int r = 0; r < Rows; ++r) {
      const Eight factor = all(factors[(i + r) * n + j]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] += factor * load(from + v * kLanes);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v)
      store(gradient_of(job, sample, i + r, dx, de) + k + v * kLanes, sum[r][v]);
  }
}

template <int Rows>
[[gnu::always_inline]] inline void gradients(const InteractionJob& job, std::int64_t sample,
                                             const float* factors, std::int64_t i, const float* start,
                                             float* dx, float* de) {
  const std::int64_t dim = job.shape.dim;
  std::int64_t k = 0;
  for (; k + 2 * kLanes <= dim; k += 2 * kLanes)
    gradients<Rows, 2>(job, sample, factors, i, k, start, dx, de);
  for (; k + kLanes <= dim; k += kLanes) gradients<Rows, 1>(job, sample, factors, i, k, start, dx, de);
  for (; k < dim; ++k) {
    for (int r = 0; r < Rows; ++r) {
      float sum = i + r == 0 ? start[k] : 0;
      for (std::int64_t j = 0; j < job.shape.vectors(); ++j)
        sum = sum + factors[(i + r) * job.shape.vectors() + j] * vector_of(job, sample, j)[k];
      gradient_of(job, sample, i + r, dx, de)[k] = sum;
    }
  }
}

inline void backward(const InteractionJob& job, const float* dy, float* dx, float* de) {
  const InteractionShape& shape = job.shape;
  const std::int64_t n = shape.vectors();
  static thread_local float factors[kMostVectors * kMostVectors];
  for (std::int64_t s = job.from; s < job.to; ++s) {
    const float* const start = dy + s * shape.outputs();
    const float* const dz = start + shape.dim;
    std::int64_t p = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) factors[i * n + j] = factors[j * n + i] = dz[p++];
      factors[i * n + i] = shape.itself ? 2 * dz[p++] : 0;
    }
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) gradients<4>(job, s, factors, i, start, dx, de);
    for (; i < n; ++i) gradients<1>(job, s, factors, i, start, dx, de);
  }
}

constexpr InteractionLoops kLoops{.forward = forward, .backward = backward};

}  // namespace
}  // namespace overture::train
