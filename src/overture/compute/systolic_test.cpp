#include "overture/compute/systolic.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::compute {
namespace {

using namespace literals;

SystolicArray array(int height, int width, Dataflow dataflow) {
  return {.height = height, .width = width, .dataflow = dataflow};
}

constexpr Gemm kGemm{.rows = 16, .inner = 24, .columns = 8};

TEST(SystolicArray, OutputsStayWhileTheInnerSideStreams) {
  // 2 x 1 folds of 8 + 8 + 24 - 2 cycles.
  EXPECT_EQ(array(8, 8, Dataflow::output_stationary).cycles(kGemm), 2 * 38 - 1);
}

TEST(SystolicArray, WeightsStayWhileTheRowsStream) {
  // 3 x 1 folds of 8 to load, then 8 + 8 + 16 - 2 cycles.
  EXPECT_EQ(array(8, 8, Dataflow::weight_stationary).cycles(kGemm), 3 * 38 - 1);
}

TEST(SystolicArray, InputsStayWhileTheColumnsStream) {
  // 3 x 2 folds of 8 to load, then 8 + 8 + 8 - 2 cycles.
  EXPECT_EQ(array(8, 8, Dataflow::input_stationary).cycles(kGemm), 6 * 30 - 1);
}

TEST(SystolicArray, APartOfAFoldCostsAWholeOne) {
  const auto weights = array(8, 8, Dataflow::weight_stationary);
  const Gemm one_more{.rows = 16, .inner = 25, .columns = 8};
  EXPECT_EQ(weights.cycles(one_more), 4 * 38 - 1);
}

TEST(SystolicArray, ACycleIsANanosecondUnlessTheClockSaysOtherwise) {
  SystolicArray weights = array(8, 8, Dataflow::weight_stationary);
  EXPECT_EQ(weights.time(kGemm, 2_B), 113ns);
  weights.clock = Frequency::hertz(500'000'000);
  EXPECT_EQ(weights.time(kGemm, 2_B), 226ns);
  weights.clock = Frequency::hertz(3'000'000'000);
  EXPECT_EQ(weights.time(kGemm, 2_B), 37'667_ps);  // 37,666.7
}

TEST(SystolicArray, LargeGemmsAreCountedOrRefusedNeverWrapped) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  const Gemm large{.rows = kBillion, .inner = kBillion, .columns = kBillion};
  // (10^9 / 10^6)^2 folds of 2 * 10^6 + 10^6 + 10^9 - 2 cycles.
  EXPECT_EQ(array(1'000'000, 1'000'000, Dataflow::weight_stationary).cycles(large),
            1'002'999'998'000'000 - 1);
  EXPECT_NE(user_error([&] { array(1, 1, Dataflow::weight_stationary).cycles(large); }).find("more cycles"),
            std::string::npos);
  // Fits as cycles, not as picoseconds.
  EXPECT_NE(user_error([&] {
              array(100'000, 100'000, Dataflow::weight_stationary).time(large, 2_B);
            }).find("106 days"),
            std::string::npos);
}

TEST(SystolicArray, AFullArrayMapsPerfectly) {
  const LayerReport report =
      array(8, 8, Dataflow::output_stationary).report({.rows = 8, .inner = 50, .columns = 8});
  EXPECT_EQ(report.total_cycles, 63);
  EXPECT_EQ(report.stall_cycles, 0);
  EXPECT_DOUBLE_EQ(report.mapping_efficiency, 100);
  EXPECT_DOUBLE_EQ(report.compute_utilization, 100.0 * 50 / 64);
  EXPECT_DOUBLE_EQ(report.overall_utilization, 100.0 * 50 / 63);
}

TEST(SystolicArray, ManyFoldsAverageLikeFew) {
  const auto weights = array(3, 7, Dataflow::weight_stationary);
  // Two folds, one full and one with a single row: the mean is that of 4 of 6 rows.
  EXPECT_DOUBLE_EQ(weights.report({.rows = 9, .inner = 4, .columns = 7}).mapping_efficiency, 100.0 * 4 / 6);
  // 10^12 folds and a bit.
  const LayerReport many = weights.report({.rows = 9, .inner = 3'000'001, .columns = 7'000'000});
  EXPECT_NEAR(many.mapping_efficiency, 100, 1e-4);
  EXPECT_NEAR(many.compute_utilization, 100.0 * 9 / (2 * 3 + 7 + 9 - 2 + 6), 1e-4);
}

TEST(SystolicArray, ASingleProductOnASingleUnitHasAReport) {
  const LayerReport report = array(1, 1, Dataflow::output_stationary).report({});
  EXPECT_EQ(report.total_cycles, 0);
  EXPECT_DOUBLE_EQ(report.overall_utilization, 100);
}

}  // namespace
}  // namespace overture::compute
