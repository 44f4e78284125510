#include "overture/report/completion_times.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/text.h"

namespace overture::report {
namespace {

using std::chrono::microseconds;

CompletionTimes of(const std::vector<int>& us) {
  std::vector<std::optional<Duration>> times;
  for (const int one : us) times.emplace_back(microseconds(one));
  return CompletionTimes(times);
}

TEST(CompletionTimes, OfNoFlowsAreZero) {
  const CompletionTimes none({});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.mean(), Duration{});
  EXPECT_EQ(none.percentile(99), Duration{});
  EXPECT_EQ(none.distribution_csv(), "share_of_flows,fct_us\n");
}

TEST(CompletionTimes, FlowsThatDidNotFinishDoNotCount) {
  const CompletionTimes times({microseconds(10), std::nullopt, microseconds(30)});
  EXPECT_FALSE(times.empty());
  EXPECT_EQ(times.mean(), microseconds(20));
  EXPECT_EQ(times.percentile(100), microseconds(30));
  EXPECT_TRUE(CompletionTimes({std::nullopt}).empty());
}

// Of 1 to 100, the p-th percentile is p.
TEST(CompletionTimes, PercentilesAreByNearestRank) {
  std::vector<int> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  const CompletionTimes times = of(hundred);
  for (const int percent : {1, 50, 90, 99, 100}) EXPECT_EQ(times.percentile(percent), microseconds(percent));
  EXPECT_EQ(times.percentile(0), microseconds(1));
  EXPECT_EQ(times.percentile(99.9), microseconds(100));
  EXPECT_EQ(of({7}).percentile(1), microseconds(7));
}

// The smallest time that so many of the flows do not exceed, by counting.
TEST(CompletionTimes, APercentileIsTheLeastThatEnoughFlowsDoNotExceed) {
  RandomStream random = RandomStreams(8).make("percentiles");
  for (int round = 0; round < 100; ++round) {
    std::vector<int> times;
    for (auto n = 1 + random.below(40); n > 0; --n) times.push_back(static_cast<int>(random.below(20)));
    for (const double percent : {0.1, 10.0, 50.0, 95.0, 99.0, 99.9, 100.0}) {
      int expected = 20;
      for (const int candidate : times) {
        const auto within = std::ranges::count_if(times, [&](int t) { return t <= candidate; });
        if (static_cast<double>(within) * 100 >= percent * static_cast<double>(times.size()) - 1e-9)
          expected = std::min(expected, candidate);
      }
      EXPECT_EQ(of(times).percentile(percent), microseconds(expected)) << percent;
    }
  }
}

TEST(CompletionTimes, TheDistributionRisesToAll) {
  EXPECT_EQ(
      of({30, 10, 20, 40}).distribution_csv(),
      "share_of_flows,fct_us\n0.2500,10.000000\n0.5000,20.000000\n0.7500,30.000000\n1.0000,40.000000\n");
}

TEST(CompletionTimes, OfManyFlowsAThousandPointsAreShownAndTheLastIsTheSlowest) {
  std::vector<int> many;
  for (int i = 1; i <= 12'345; ++i) many.push_back(i);
  const auto lines = split(of(many).distribution_csv(), '\n');
  ASSERT_EQ(lines.size(), 1000u + 2);
  EXPECT_EQ(lines[1000], "1.0000,12345.000000");
}

}  // namespace
}  // namespace overture::report
