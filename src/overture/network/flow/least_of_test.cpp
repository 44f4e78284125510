#include "overture/network/flow/least_of.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::network::flow {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(LeastOf, IsTheFirstOfTheSmallestNumbersWhicheverRise) {
  RandomStream random = RandomStreams(11).make("least");
  LeastOf least;
  for (const std::size_t count : {1, 2, 15, 16, 17, 255, 256, 257, 5000, 3}) {
    std::vector<double> plain(count);
    least.reset(count);
    EXPECT_EQ(least.least(), kNever);
    for (std::size_t i = 0; i < count; ++i) {
      plain[i] = static_cast<double>(random.below(20));  // many are equal
      least.set(i, plain[i]);
    }
    least.build();
    for (int turn = 0; turn < 2000; ++turn) {
      const auto first = std::ranges::min_element(plain);
      ASSERT_EQ(least.least(), *first) << count;
      if (*first == kNever) break;
      ASSERT_EQ(least.place(), static_cast<std::size_t>(first - plain.begin())) << count;
      // The least itself, or any other; a little, or for good.
      const std::size_t risen = random.below(2) == 0 ? least.place() : random.below(count);
      plain[risen] = random.below(4) == 0 ? kNever : plain[risen] + static_cast<double>(random.below(3));
      least.raise(risen, plain[risen]);
      ASSERT_EQ(least[risen], plain[risen]);
    }
  }
}

TEST(LeastOf, ForgetsWhatItHeldBefore) {
  LeastOf least;
  least.reset(40);
  least.set(7, 1);
  least.build();
  EXPECT_EQ(least.place(), 7U);
  least.reset(300);
  least.set(299, 5);
  least.build();
  EXPECT_EQ(least.least(), 5);
  EXPECT_EQ(least.place(), 299U);
  least.reset(1);
  least.build();
  EXPECT_EQ(least.least(), kNever);
}

}  // namespace
}  // namespace overture::network::flow
