#include "overture/base/random.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace overture {
namespace {

TEST(RandomStreamsTest, NamesAreSequencesOfTheirOwn) {
  const RandomStreams streams(1);
  std::set<std::uint64_t> first;
  for (int i = 0; i < 1000; ++i) first.insert(streams.make("stream " + std::to_string(i))());
  EXPECT_EQ(first.size(), 1000u);
  EXPECT_NE(RandomStreams(1).make("ecmp")(), RandomStreams(2).make("ecmp")());
}

// The mean of n uniform numbers is within 5 standard deviations, 5 * sqrt(1/12/n), of a half.
TEST(RandomStreamsTest, UnitIsUniformAndBelowReachesBothEnds) {
  RandomStream random = RandomStreams(3).make("unit");
  double sum = 0;
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) sum += random.unit();
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0073);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 300; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0u);
}

}  // namespace
}  // namespace overture
