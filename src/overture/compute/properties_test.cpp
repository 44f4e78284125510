// How long GEMMs take, against machines that are played: a grid of units cycle by cycle, a table by its two
// neighbours, a roofline by its two limits.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/compute/measured.h"
#include "overture/compute/roofline.h"
#include "overture/compute/systolic.h"

namespace overture::compute {
namespace {

using namespace literals;

std::int64_t draw(RandomStream& random, std::uint64_t most) {
  return 1 + static_cast<std::int64_t>(random.below(most));
}

// Outputs stay: unit (i, j) multiplies pair k in the cycle i + j + k, in which both have reached it. Plays
// one fold after the other and counts cycles and products.
struct Played {
  std::int64_t cycles = 0;
  std::int64_t products = 0;
};
Played play_output_stationary(int height, int width, const Gemm& gemm) {
  Played all;
  for (std::int64_t column = 0; column < gemm.columns; column += width) {
    for (std::int64_t row = 0; row < gemm.rows; row += height) {
      std::int64_t last = 0;
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          for (std::int64_t k = 0; k < gemm.inner; ++k) {
            last =
                std::max(last, i + j + k);  // the streams pass all units, whether they hold something or not
            all.products += row + i < gemm.rows && column + j < gemm.columns ? 1 : 0;
          }
        }
      }
      all.cycles += last + 1;
    }
  }
  return all;
}

TEST(SystolicArrayProperties, OutputsStayAsAGridPlayedCycleByCycleDoes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    const int height = static_cast<int>(draw(random, 6));
    const int width = static_cast<int>(draw(random, 6));
    const Gemm gemm{draw(random, 14), draw(random, 9), draw(random, 14)};
    const SystolicArray array{.height = height, .width = width, .dataflow = Dataflow::output_stationary};
    const Played played = play_output_stationary(height, width, gemm);
    EXPECT_EQ(array.cycles(gemm), played.cycles - 1) << "SCALE-Sim counts from 0; seed " << seed;
    EXPECT_EQ(Int128{played.products}, flops(gemm) / 2);
    if (array.cycles(gemm) == 0) continue;
    const double share =
        static_cast<double>(played.products) / static_cast<double>(array.cycles(gemm) * height * width);
    EXPECT_NEAR(array.report(gemm).overall_utilization, 100 * share, 1e-9);
  }
}

// The three dataflows are one with the sides of the GEMM in other places, and an operand that is shifted in.
TEST(SystolicArrayProperties, DataflowsDifferInWhichSideStreams) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 1);
    SystolicArray array{.height = static_cast<int>(draw(random, 8)),
                        .width = static_cast<int>(draw(random, 8))};
    const Gemm gemm{draw(random, 40), draw(random, 40), draw(random, 40)};
    const auto cycles = [&](Dataflow dataflow, const Gemm& of) {
      array.dataflow = dataflow;
      return array.cycles(of);
    };
    const std::int64_t folds =
        (gemm.inner + array.height - 1) / array.height * ((gemm.columns + array.width - 1) / array.width);
    EXPECT_EQ(
        cycles(Dataflow::weight_stationary, gemm),
        cycles(Dataflow::output_stationary, {gemm.inner, gemm.rows, gemm.columns}) + folds * array.height);
    EXPECT_EQ(cycles(Dataflow::input_stationary, gemm),
              cycles(Dataflow::weight_stationary, {gemm.columns, gemm.inner, gemm.rows}));
  }
}

TEST(SystolicArrayProperties, SharesOfUnitsAreAtMostAllAndMoreWorkNeverTakesLess) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed, 2);
    const SystolicArray array{.height = static_cast<int>(draw(random, 16)),
                              .width = static_cast<int>(draw(random, 16)),
                              .dataflow = static_cast<Dataflow>(random.below(3))};
    const Gemm gemm{draw(random, 99), draw(random, 99), draw(random, 99)};
    const LayerReport report = array.report(gemm);
    EXPECT_GT(report.mapping_efficiency, 0);
    EXPECT_LE(report.mapping_efficiency, 100 + 1e-9);
    EXPECT_LE(report.compute_utilization, report.mapping_efficiency + 1e-9);
    EXPECT_EQ(report.stall_cycles, 0);
    for (const Gemm& more :
         {Gemm{gemm.rows + 1, gemm.inner, gemm.columns}, Gemm{gemm.rows, gemm.inner + 1, gemm.columns},
          Gemm{gemm.rows, gemm.inner, gemm.columns + 1}})
      EXPECT_GE(array.cycles(more), array.cycles(gemm)) << "seed " << seed;
  }
}

// ---- tables of measurements

TEST(MeasuredTableProperties, BetweenTwoNeighboursTheTimeIsBetweenTheirs) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 3);
    std::map<std::int64_t, Duration> points;  // by columns of a 1 x 1 x n
    for (int i = 0; i < 6; ++i) points[draw(random, 1'000)] = Duration{draw(random, 1'000'000'000)};
    std::map<Gemm, Duration> measured;
    for (const auto& [columns, time] : points) measured[{1, 1, columns}] = time;
    const MeasuredTable table(measured);
    for (std::int64_t columns = 1; columns <= 1'100; columns += 7) {
      const Duration time = table.time({columns, 1, 1}, 2_B);
      const auto above = points.lower_bound(columns);
      double expected = 0;
      if (above == points.end()) {
        const auto& [most, longest] = *points.rbegin();
        expected =
            static_cast<double>(longest.count()) * static_cast<double>(columns) / static_cast<double>(most);
      } else if (above->first == columns) {
        expected = static_cast<double>(above->second.count());
      } else if (above == points.begin()) {
        expected = static_cast<double>(above->second.count()) * static_cast<double>(columns) /
                   static_cast<double>(above->first);
      } else {
        const auto below = std::prev(above);
        const double part =
            static_cast<double>(columns - below->first) / static_cast<double>(above->first - below->first);
        expected = static_cast<double>(below->second.count()) +
                   part * static_cast<double>((above->second - below->second).count());
      }
      EXPECT_NEAR(static_cast<double>(time.count()), expected, 1.5)
          << "seed " << seed << " columns " << columns;
    }
  }
}

// ---- rooflines

TEST(RooflineProperties, TheLongerOfArithmeticAndMemoryDecides) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, 4);
    const Roofline roofline{.peak = FlopRate::per_second(draw(random, 1'000'000'000'000)),
                            .memory = Bandwidth::bits_per_second(draw(random, 8'000'000'000'000)),
                            .efficiency = 0.1 * static_cast<double>(1 + random.below(10))};
    const Gemm gemm{draw(random, 500), draw(random, 500), draw(random, 500)};
    const Bytes element{static_cast<std::int64_t>(1 + random.below(8))};
    const double arithmetic = 2.0 * static_cast<double>(gemm.rows) * static_cast<double>(gemm.inner) *
                              static_cast<double>(gemm.columns) /
                              (static_cast<double>(roofline.peak.per_second()) * roofline.efficiency);
    const double cells =
        static_cast<double>(gemm.rows * gemm.inner + gemm.inner * gemm.columns + gemm.rows * gemm.columns);
    const double memory = 8 * cells * static_cast<double>(element.count()) /
                          static_cast<double>(roofline.memory.bits_per_second());
    const double expected = 1e12 * std::max(arithmetic, memory);
    EXPECT_NEAR(static_cast<double>(roofline.time(gemm, element).count()), expected, 2 + expected * 1e-5)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace overture::compute
