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

template <int Vectors>
[[gnu::always_inline]] inline void gradient_columns(const InteractionJob& job, std::int64_t sample,
                                                    const float* factors, const float* start, std::int64_t k,
                                                    float* out) {
  Eight sum[Vectors] = {};
  if (start != nullptr) {
    for (int v = 0; v < Vectors; ++v) sum[v] = load(start + k + v * kLanes);
  }
  for (std::int64_t j = 0; j < job.shape.vectors(); ++j) {
    const Eight factor = all(factors[j]);
    const float* const from = vector_of(job, sample, j) + k;
    for (int v = 0; v < Vectors; ++v) sum[v] += factor * load(from + v * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(out + k + v * kLanes, sum[v]);
}

// d(vector i) = sum over j of (dz_ij + dz_ji) times vector j, in the order of j; a product with itself counts
// twice.
[[gnu::always_inline]] inline void gradient(const InteractionJob& job, std::int64_t sample,
                                            const float* factors, const float* start, float* out) {
  const std::int64_t dim = job.shape.dim;
  std::int64_t k = 0;
  for (; k + 4 * kLanes <= dim; k += 4 * kLanes) gradient_columns<4>(job, sample, factors, start, k, out);
  for (; k + 2 * kLanes <= dim; k += 2 * kLanes) gradient_columns<2>(job, sample, factors, start, k, out);
  for (; k + kLanes <= dim; k += kLanes) gradient_columns<1>(job, sample, factors, start, k, out);
  for (; k < dim; ++k) {
    float sum = start == nullptr ? 0 : start[k];
    for (std::int64_t j = 0; j < job.shape.vectors(); ++j)
      sum = sum + factors[j] * vector_of(job, sample, j)[k];
    out[k] = sum;
  }
}

inline void backward(const InteractionJob& job, const float* dy, float* dx, float* de) {
  const InteractionShape& shape = job.shape;
  const std::int64_t n = shape.vectors();
  static thread_local float factors[kMostVectors * kMostVectors];
  for (std::int64_t s = job.from; s < job.to; ++s) {
    const float* const dz = dy + s * shape.outputs() + shape.dim;
    std::int64_t p = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) factors[i * n + j] = factors[j * n + i] = dz[p++];
      factors[i * n + i] = shape.itself ? 2 * dz[p++] : 0;
    }
    gradient(job, s, factors, dy + s * shape.outputs(), dx + s * shape.dim);
    for (std::int64_t i = 1; i < n; ++i)
      gradient(job, s, factors + i * n, nullptr, de + (s * shape.tables + i - 1) * shape.dim);
  }
}

constexpr InteractionLoops kLoops{.forward = forward, .backward = backward};

}  // namespace
}  // namespace overture::train
