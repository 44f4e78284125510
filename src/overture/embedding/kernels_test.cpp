// Both sets of loops against plain sums, and bit for bit against each other.
#include "overture/embedding/kernels.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::embedding {
namespace {

constexpr std::int64_t kSamples = 37;
constexpr std::uint32_t kRows = 19;

// Random rows and multi-hot lookups, some samples without any.
struct Case {
  explicit Case(std::int32_t width, OptimizerKind kind) : dim(width), layout(row_layout(kind, width)) {
    RandomStream random = RandomStreams(7).make("kernels");
    const auto draw = [&] { return static_cast<float>(random.unit() - 0.5); };
    numbers.resize(kRows * static_cast<std::size_t>(layout.stride));
    for (float& number : numbers) number = std::abs(draw());
    offsets.push_back(0);
    for (std::int64_t s = 0; s < kSamples; ++s) {
      for (auto n = random.below(4); n > 0; --n)
        lookups.push_back(static_cast<std::uint32_t>(random.below(kRows)));
      offsets.push_back(static_cast<std::uint32_t>(lookups.size()));
    }
    for (std::size_t i = 0; i < lookups.size(); ++i) scales.push_back(draw());
    gradients.resize(static_cast<std::size_t>(kSamples * dim));
    for (float& gradient : gradients) gradient = draw();
    starts.assign(1, 0);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      for (std::int64_t s = 0; s < kSamples; ++s) {
        for (std::uint32_t i = offsets[static_cast<std::size_t>(s)];
             i < offsets[static_cast<std::size_t>(s) + 1]; ++i) {
          if (lookups[i] != row) continue;
          places.push_back(static_cast<std::uint64_t>(s * dim));
          row_scales.push_back(scales[i]);
        }
      }
      starts.push_back(static_cast<std::uint32_t>(places.size()));
    }
  }

  std::vector<float*> rows() {
    std::vector<float*> result;
    for (std::uint32_t r = 0; r < kRows; ++r)
      result.push_back(numbers.data() + r * static_cast<std::size_t>(layout.stride));
    return result;
  }

  std::vector<float> pooled(const Kernels& kernels) {
    std::vector<float> out(static_cast<std::size_t>(kSamples * dim), -1);
    const auto places_of_rows = rows();
    kernels.pool({.rows = places_of_rows.data(),
                  .lookups = lookups.data(),
                  .offsets = offsets.data(),
                  .scales = scales.data(),
                  .dim = dim,
                  .out = out.data(),
                  .out_stride = dim,
                  .from = 0,
                  .to = kSamples,
                  .samples = kSamples});
    return out;
  }

  std::vector<float> updated(const Kernels& kernels, OptimizerKind kind) {
    const std::vector<float> before = numbers;
    const UpdateRule rule = update_rule({.kind = kind, .learning_rate = 0.1}, 3);
    const auto places_of_rows = rows();
    kernels.update(job(), rule, places_of_rows.data());
    std::vector<float> after = before;
    after.swap(numbers);
    return after;
  }

  SumJob job() const {
    return {.starts = starts.data(),
            .places = places.data(),
            .scales = row_scales.data(),
            .gradients = gradients.data(),
            .dim = dim,
            .from = 0,
            .to = kRows,
            .rows = kRows};
  }

  std::int32_t dim;
  RowLayout layout;
  std::vector<float> numbers;
  std::vector<std::uint32_t> lookups;
  std::vector<std::uint32_t> offsets;
  std::vector<float> scales;
  std::vector<float> gradients;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint64_t> places;
  std::vector<float> row_scales;
};

constexpr std::int32_t kDims[] = {1, 3, 8, 13, 16, 17, 32, 48, 50, 64, 128, 200};
constexpr OptimizerKind kKinds[] = {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam};

TEST(Kernels, PoolsWhatAPlainLoopPools) {
  for (const std::int32_t dim : kDims) {
    Case c(dim, OptimizerKind::sgd);
    const std::vector<float> out = c.pooled(kernels());
    for (std::int64_t s = 0; s < kSamples; ++s) {
      for (std::int32_t column = 0; column < dim; ++column) {
        double sum = 0;
        for (std::uint32_t i = c.offsets[static_cast<std::size_t>(s)];
             i < c.offsets[static_cast<std::size_t>(s) + 1]; ++i)
          sum += static_cast<double>(c.scales[i]) * static_cast<double>(c.rows()[c.lookups[i]][column]);
        EXPECT_NEAR(static_cast<double>(out[static_cast<std::size_t>(s * dim + column)]), sum, 1e-6) << dim;
      }
    }
  }
}

// The formulas in double precision, from the definitions in optimizer.h.
TEST(Kernels, UpdatesRowsAsTheOptimizersAreDefined) {
  for (const OptimizerKind kind : kKinds) {
    for (const std::int32_t dim : {5, 16}) {
      Case c(dim, kind);
      const std::vector<float> after = c.updated(kernels(), kind);
      for (std::uint32_t row = 0; row < kRows; ++row) {
        std::vector<double> g(static_cast<std::size_t>(dim), 0);
        double square = 0;
        for (std::size_t column = 0; column < g.size(); ++column) {
          for (std::uint32_t i = c.starts[row]; i < c.starts[row + 1]; ++i)
            g[column] +=
                static_cast<double>(c.row_scales[i]) * static_cast<double>(c.gradients[c.places[i] + column]);
          square += g[column] * g[column];
        }
        const float* const before = c.rows()[row];
        for (std::size_t column = 0; column < g.size(); ++column) {
          double expected = static_cast<double>(before[column]);
          if (kind == OptimizerKind::sgd) {
            expected -= 0.1 * g[column];
          } else if (kind == OptimizerKind::adagrad) {
            expected -= 0.1 * g[column] / (std::sqrt(static_cast<double>(before[dim]) + square / dim) + 1e-8);
          } else {
            const double m =
                0.9 * static_cast<double>(before[static_cast<std::size_t>(dim) + column]) + 0.1 * g[column];
            const double v = 0.999 * static_cast<double>(before[2 * static_cast<std::size_t>(dim) + column]) +
                             0.001 * g[column] * g[column];
            expected -= 0.1 * (m / (1 - std::pow(0.9, 4))) / (std::sqrt(v / (1 - std::pow(0.999, 4))) + 1e-8);
          }
          EXPECT_NEAR(static_cast<double>(after[row * static_cast<std::size_t>(c.layout.stride) + column]),
                      expected, 2e-5);
        }
      }
    }
  }
}

TEST(Kernels, ResultsDoNotDependOnTheInstructionSet) {
  if (avx2_kernels() == nullptr) GTEST_SKIP() << "no AVX2 here";
  for (const std::int32_t dim : kDims) {
    for (const OptimizerKind kind : kKinds) {
      Case c(dim, kind);
      EXPECT_EQ(c.pooled(portable_kernels()), c.pooled(*avx2_kernels())) << dim;
      EXPECT_EQ(c.updated(portable_kernels(), kind), c.updated(*avx2_kernels(), kind)) << dim;
    }
  }
}

TEST(Kernels, SumThenApplyEqualsUpdate) {
  for (const std::int32_t dim : kDims) {
    for (const OptimizerKind kind : kKinds) {
      Case c(dim, kind);
      const std::vector<float> fused = c.updated(kernels(), kind);
      std::vector<float> sums(static_cast<std::size_t>(kRows) * static_cast<std::size_t>(dim));
      std::vector<float*> places;
      for (std::uint32_t r = 0; r < kRows; ++r) places.push_back(&sums[r * static_cast<std::size_t>(dim)]);
      kernels().sum(c.job(), places.data());
      const UpdateRule rule = update_rule({.kind = kind, .learning_rate = 0.1}, 3);
      for (std::uint32_t r = 0; r < kRows; ++r) kernels().apply(rule, dim, places[r], c.rows()[r]);
      EXPECT_EQ(c.numbers, fused) << dim;
    }
  }
}

}  // namespace
}  // namespace overture::embedding
