// The loops behind kernels.h, included by one source file per instruction set. Plain pointers and nothing
// from the standard library: what is compiled here for AVX2 must not be called by anybody else.
#pragma once

#include "overture/embedding/kernels.h"

namespace overture::embedding {
namespace {

typedef float Eight __attribute__((vector_size(32)));  // two registers where there is no AVX

constexpr int kLanes = 8;
constexpr std::uint32_t kAhead = 16;  // rows; from 8 to 32 it makes no difference

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
// The last columns of a row, zeros behind them.
[[gnu::always_inline]] inline Eight load_some(const float* from, int count) {
  Eight value{};
  __builtin_memcpy(&value, from, static_cast<unsigned>(count) * sizeof(float));
  return value;
}
[[gnu::always_inline]] inline void store_some(float* to, Eight value, int count) {
  __builtin_memcpy(to, &value, static_cast<unsigned>(count) * sizeof(float));
}
[[gnu::always_inline]] inline Eight root(Eight value) {
  for (int i = 0; i < kLanes; ++i) value[i] = __builtin_sqrtf(value[i]);
  return value;
}

// All its cache lines, to read, or to write too: a row that does not start at one reaches into one more.
template <int kWrite>
[[gnu::always_inline]] inline void prefetch_row(const float* row, std::int32_t floats) {
  for (std::int32_t column = 0; column < floats; column += 16) __builtin_prefetch(row + column, kWrite);
  if (floats % 16 != 1) __builtin_prefetch(row + floats - 1, kWrite);
}

// ---- pooling

template <int Vectors>
[[gnu::always_inline]] inline void pool_one(const PoolJob& job, std::uint32_t begin, std::uint32_t end,
                                            float* out) {
  Eight sum[Vectors] = {};
  for (std::uint32_t i = begin; i < end; ++i) {
    const float* const row = job.rows[job.lookups[i]];
    const Eight scale = all(job.scales == nullptr ? 1.0f : job.scales[i]);
    for (int v = 0; v < Vectors; ++v) sum[v] += scale * load(row + v * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(out + v * kLanes, sum[v]);
}

[[gnu::always_inline]] inline void pool_columns(const PoolJob& job, std::uint32_t begin, std::uint32_t end,
                                                std::int32_t column, int count, float* out) {
  Eight sum{};
  for (std::uint32_t i = begin; i < end; ++i) {
    const Eight scale = all(job.scales == nullptr ? 1.0f : job.scales[i]);
    sum += scale * load_some(job.rows[job.lookups[i]] + column, count);
  }
  store_some(out + column, sum, count);
}

inline void pool_any(const PoolJob& job, std::uint32_t begin, std::uint32_t end, float* out) {
  std::int32_t column = 0;
  for (; column + kLanes <= job.dim; column += kLanes) pool_columns(job, begin, end, column, kLanes, out);
  if (column < job.dim) pool_columns(job, begin, end, column, job.dim - column, out);
}

template <int Vectors>
void pool_samples(const PoolJob& job) {
  const std::uint32_t last =
      job.offsets == nullptr ? static_cast<std::uint32_t>(job.samples) : job.offsets[job.samples];
  for (std::int64_t sample = job.from; sample < job.to; ++sample) {
    const auto begin = job.offsets == nullptr ? static_cast<std::uint32_t>(sample) : job.offsets[sample];
    const auto end =
        job.offsets == nullptr ? static_cast<std::uint32_t>(sample) + 1 : job.offsets[sample + 1];
    for (std::uint32_t i = begin + kAhead; i < end + kAhead && i < last; ++i)
      prefetch_row<0>(job.rows[job.lookups[i]], job.dim);
    float* const out = job.out + sample * job.out_stride;
    if constexpr (Vectors > 0) {
      pool_one<Vectors>(job, begin, end, out);
    } else {
      pool_any(job, begin, end, out);
    }
  }
}

// One lookup each, unscaled. The sum still starts at zero, which makes a plus of a minus zero.
template <int Vectors>
void copy_rows(const PoolJob& job) {
  for (std::int64_t sample = job.from; sample < job.to; ++sample) {
    if (job.samples - sample > kAhead)
      prefetch_row<0>(job.rows[job.lookups[sample + kAhead]], Vectors * kLanes);
    const float* const row = job.rows[job.lookups[sample]];
    float* const out = job.out + sample * job.out_stride;
    for (int v = 0; v < Vectors; ++v) store(out + v * kLanes, Eight{} + load(row + v * kLanes));
  }
}

template <int Vectors>
void pool_rows(const PoolJob& job) {
  if (job.offsets == nullptr && job.scales == nullptr) return copy_rows<Vectors>(job);
  pool_samples<Vectors>(job);
}

inline void pool(const PoolJob& job) {
  switch (job.dim) {
    case 8: return pool_rows<1>(job);
    case 16: return pool_rows<2>(job);
    case 32: return pool_rows<4>(job);
    case 48: return pool_rows<6>(job);
    case 64: return pool_rows<8>(job);
    case 128: return pool_rows<16>(job);
    default: return pool_samples<0>(job);
  }
}

// ---- gradients

[[gnu::always_inline]] inline void sum_columns(const SumJob& job, std::uint32_t row, std::int32_t column,
                                               int count, float* sums) {
  Eight sum{};
  for (std::uint32_t i = job.starts[row]; i < job.starts[row + 1]; ++i) {
    const Eight scale = all(job.scales == nullptr ? 1.0f : job.scales[i]);
    sum += scale * load_some(job.gradients + job.places[i] + column, count);
  }
  store_some(sums + column, sum, count);
}

template <int Vectors>
[[gnu::always_inline]] inline void sum_in_registers(const SumJob& job, std::uint32_t row, Eight* sum) {
  for (int v = 0; v < Vectors; ++v) sum[v] = Eight{};
  const std::uint32_t last = job.starts[job.rows];
  for (std::uint32_t i = job.starts[row]; i < job.starts[row + 1]; ++i) {
    if (last - i > kAhead) prefetch_row<0>(job.gradients + job.places[i + kAhead], Vectors * kLanes);
    const Eight scale = all(job.scales == nullptr ? 1.0f : job.scales[i]);
    for (int v = 0; v < Vectors; ++v) sum[v] += scale * load(job.gradients + job.places[i] + v * kLanes);
  }
}

template <int Vectors>
[[gnu::always_inline]] inline void sum_one(const SumJob& job, std::uint32_t row, float* sums) {
  if constexpr (Vectors > 0) {
    Eight sum[Vectors];
    sum_in_registers<Vectors>(job, row, sum);
    for (int v = 0; v < Vectors; ++v) store(sums + v * kLanes, sum[v]);
  } else {
    std::int32_t column = 0;
    for (; column + kLanes <= job.dim; column += kLanes) sum_columns(job, row, column, kLanes, sums);
    if (column < job.dim) sum_columns(job, row, column, job.dim - column, sums);
  }
}

// ---- updates

[[gnu::always_inline]] inline void apply_sgd(const UpdateRule& rule, std::int32_t dim, const float* gradient,
                                             float* row) {
  const Eight rate = all(rule.learning_rate);
  std::int32_t column = 0;
  for (; column + kLanes <= dim; column += kLanes)
    store(row + column, load(row + column) - rate * load(gradient + column));
  for (; column < dim; ++column) row[column] = row[column] - rule.learning_rate * gradient[column];
}

// The rate of a row whose squares have been added up in eight lanes; those are added in a fixed order:
// whatever the registers are.
[[gnu::always_inline]] inline float adagrad_rate(const UpdateRule& rule, std::int32_t dim, Eight squares,
                                                 float* state) {
  const float sum = ((squares[0] + squares[4]) + (squares[1] + squares[5])) +
                    ((squares[2] + squares[6]) + (squares[3] + squares[7]));
  *state += sum / static_cast<float>(dim);
  return rule.learning_rate / (__builtin_sqrtf(*state) + rule.epsilon);
}

[[gnu::always_inline]] inline void apply_adagrad(const UpdateRule& rule, std::int32_t dim,
                                                 const float* gradient, float* row) {
  Eight squares{};
  std::int32_t column = 0;
  for (; column + kLanes <= dim; column += kLanes) {
    const Eight g = load(gradient + column);
    squares += g * g;
  }
  if (column < dim) {
    const Eight g = load_some(gradient + column, dim - column);
    squares += g * g;
  }
  const float rate = adagrad_rate(rule, dim, squares, row + dim);
  const UpdateRule with_rate{.kind = OptimizerKind::sgd, .learning_rate = rate};
  apply_sgd(with_rate, dim, gradient, row);
}

[[gnu::always_inline]] inline void adam_columns(const UpdateRule& rule, int count, const float* gradient,
                                                float* row, float* first, float* second) {
  const Eight g = load_some(gradient, count);
  const Eight m = all(rule.beta1) * load_some(first, count) + all(1.0f - rule.beta1) * g;
  const Eight v = all(rule.beta2) * load_some(second, count) + all(1.0f - rule.beta2) * (g * g);
  const Eight below = root(v) * all(rule.inverse_root_of_decay) + all(rule.epsilon);
  store_some(first, m, count);
  store_some(second, v, count);
  store_some(row, load_some(row, count) - all(rule.step_size) * m / below, count);
}

[[gnu::always_inline]] inline void apply_adam(const UpdateRule& rule, std::int32_t dim, const float* gradient,
                                              float* row) {
  float* const first = row + dim;
  float* const second = first + dim;
  std::int32_t c = 0;
  for (; c + kLanes <= dim; c += kLanes)
    adam_columns(rule, kLanes, gradient + c, row + c, first + c, second + c);
  if (c < dim) adam_columns(rule, dim - c, gradient + c, row + c, first + c, second + c);
}

inline void decay(float kept, std::int32_t dim, float* row) {
  for (std::int32_t column = 0; column < dim; ++column) row[column] *= kept;
}

inline void apply(const UpdateRule& rule, std::int32_t dim, const float* gradient, float* row) {
  if (rule.kept != 1) decay(rule.kept, dim, row);
  switch (rule.kind) {
    case OptimizerKind::sgd: return apply_sgd(rule, dim, gradient, row);
    case OptimizerKind::adagrad: return apply_adagrad(rule, dim, gradient, row);
    case OptimizerKind::adam: return apply_adam(rule, dim, gradient, row);
  }
}

template <int Vectors>
void sum_rows(const SumJob& job, float* const* sums) {
  for (std::uint32_t row = job.from; row < job.to; ++row) sum_one<Vectors>(job, row, sums[row - job.from]);
}

// As apply_sgd and apply_adagrad do it, number by number, without a detour of the gradient through memory.
template <int Vectors, OptimizerKind kKind>
[[gnu::always_inline]] inline void update_in_registers(const SumJob& job, const UpdateRule& rule,
                                                       std::uint32_t number, float* row) {
  Eight gradient[Vectors];
  sum_in_registers<Vectors>(job, number, gradient);
  float rate = rule.learning_rate;
  if constexpr (kKind == OptimizerKind::adagrad) {
    Eight squares{};
    for (int v = 0; v < Vectors; ++v) squares += gradient[v] * gradient[v];
    rate = adagrad_rate(rule, Vectors * kLanes, squares, row + Vectors * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(row + v * kLanes, load(row + v * kLanes) - all(rate) * gradient[v]);
}

template <int Vectors, OptimizerKind kKind>
void update_rows(const SumJob& job, const UpdateRule& rule, float* const* rows) {
  alignas(32) float sum[Vectors > 0 ? Vectors * kLanes : kWidestRow];
  const std::int32_t dim = Vectors > 0 ? Vectors * kLanes : job.dim;
  const std::int32_t floats = kKind == OptimizerKind::adam      ? 3 * dim
                              : kKind == OptimizerKind::adagrad ? dim + 1
                                                                : dim;
  for (std::uint32_t row = job.from; row < job.to; ++row) {
    if (job.rows - row > kAhead) prefetch_row<1>(rows[row + kAhead], floats);
    if constexpr (Vectors > 0 && kKind != OptimizerKind::adam) {
      if (rule.kept != 1) decay(rule.kept, dim, rows[row]);
      update_in_registers<Vectors, kKind>(job, rule, row, rows[row]);
    } else {
      sum_one<Vectors>(job, row, sum);
      apply(rule, dim, sum, rows[row]);
    }
  }
}

template <int Vectors>
void update_rows(const SumJob& job, const UpdateRule& rule, float* const* rows) {
  switch (rule.kind) {
    case OptimizerKind::sgd: return update_rows<Vectors, OptimizerKind::sgd>(job, rule, rows);
    case OptimizerKind::adagrad: return update_rows<Vectors, OptimizerKind::adagrad>(job, rule, rows);
    case OptimizerKind::adam: return update_rows<Vectors, OptimizerKind::adam>(job, rule, rows);
  }
}

inline void sum(const SumJob& job, float* const* sums) {
  switch (job.dim) {
    case 16: return sum_rows<2>(job, sums);
    case 32: return sum_rows<4>(job, sums);
    case 48: return sum_rows<6>(job, sums);
    case 64: return sum_rows<8>(job, sums);
    default: return sum_rows<0>(job, sums);
  }
}

inline void update(const SumJob& job, const UpdateRule& rule, float* const* rows) {
  switch (job.dim) {
    case 16: return update_rows<2>(job, rule, rows);
    case 32: return update_rows<4>(job, rule, rows);
    case 48: return update_rows<6>(job, rule, rows);
    case 64: return update_rows<8>(job, rule, rows);
    default: return update_rows<0>(job, rule, rows);
  }
}

inline void add(std::int64_t count, const float* from, float* into) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(into + i, load(into + i) + load(from + i));
  for (; i < count; ++i) into[i] = into[i] + from[i];
}

constexpr Kernels kLoops{.pool = pool, .sum = sum, .update = update, .apply = apply, .add = add};

}  // namespace
}  // namespace overture::embedding
