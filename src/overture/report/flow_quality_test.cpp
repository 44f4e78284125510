#include "overture/report/flow_quality.h"

#include <gtest/gtest.h>

namespace overture::report {
namespace {

using namespace literals;

network::FlowTimes times(std::vector<std::optional<Duration>> completion, Duration simulated) {
  network::FlowTimes result;
  result.completion = std::move(completion);
  result.simulated = simulated;
  return result;
}

const std::vector<network::FlowSpec> kTwo{{.from = Rank{0}, .to = Rank{1}, .size = 1000_B},
                                          {.from = Rank{0}, .to = Rank{2}, .size = 1000_B}};

TEST(FlowQuality, SlowdownIsAgainstAnEmptyNetwork) {
  const FlowQuality quality = flow_quality(kTwo, times({1us, 4us}, 4us), {1us, 2us});
  ASSERT_TRUE(quality.slowdown);
  EXPECT_DOUBLE_EQ(quality.slowdown->mean, 1.5);
  EXPECT_DOUBLE_EQ(quality.slowdown->median, 1);
  EXPECT_DOUBLE_EQ(quality.slowdown->p99, 2);
  EXPECT_DOUBLE_EQ(quality.slowdown->p999, 2);
}

TEST(FlowQuality, GoodputIsPayloadOverTheRun) {
  EXPECT_DOUBLE_EQ(flow_quality(kTwo, times({1us, 2us}, 2us), {}).goodput_gbps, 8);
  EXPECT_DOUBLE_EQ(flow_quality(kTwo, times({1us, std::nullopt}, 2us), {}).goodput_gbps, 4);
}

TEST(FlowQuality, FairnessIsJainsIndex) {
  EXPECT_DOUBLE_EQ(flow_quality(kTwo, times({2us, 2us}, 2us), {}).fairness, 1);
  // Rates of 3 and 1: 16 / (2 * 10).
  EXPECT_DOUBLE_EQ(flow_quality(kTwo, times({1us, 3us}, 3us), {}).fairness, 0.8);
}

TEST(FlowQuality, FlowsThatGoNowhereDoNotCount) {
  const std::vector<network::FlowSpec> own{{.from = Rank{0}, .to = Rank{0}, .size = 1000_B}};
  const FlowQuality quality = flow_quality(own, times({Duration{}}, {}), {Duration{}});
  EXPECT_FALSE(quality.slowdown);
  EXPECT_EQ(quality.goodput_gbps, 0);
}

}  // namespace
}  // namespace overture::report
