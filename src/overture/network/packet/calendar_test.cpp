#include "overture/network/packet/calendar.h"

#include <limits>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::network::packet {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::uint32_t next(Calendar& calendar, std::int64_t limit = kNever) {
  EXPECT_TRUE(calendar.due(limit) || calendar.load(limit));
  return calendar.pop().what;
}

TEST(Calendar, OfTiesTheFarOnesLeaveAsTheyCameThenTheOthersByAgeAndNumber) {
  Calendar calendar(8, 4, 6);
  calendar.push(3, 100, 0);
  calendar.push(1, 100, 0);
  calendar.push(2, 99, 0);
  calendar.push_far(1001, 100);
  calendar.push_far(1000, 100);
  EXPECT_EQ(next(calendar), 2);
  calendar.push_far(999, 100);  // into the batch that is being taken
  calendar.push(2, 100, 99);
  for (const std::uint32_t what : {1001, 1000, 999, 1, 3, 2}) EXPECT_EQ(next(calendar), what);
  EXPECT_EQ(calendar.next_time(), kNever);
}

TEST(Calendar, ATieDoesNotDependOnHowFarAheadItWasKnown) {
  Calendar calendar(8, 0, 6);
  calendar.push(5, 1'000, 0);  // beyond the buckets
  calendar.push_far(77, 950);
  EXPECT_EQ(next(calendar), 77);
  calendar.push(2, 1'000, 950);
  calendar.push(3, 1'000, 0);
  calendar.push_far(78, 1'000);
  for (const std::uint32_t what : {78, 3, 5, 2}) EXPECT_EQ(next(calendar), what);
}

TEST(Calendar, StopsAtALimitAndTakesWhatComesBeforeIt) {
  Calendar calendar(8, 4, 6);
  calendar.push(1, 1'000, 0);
  calendar.push_far(7, 1'000'000'000);
  EXPECT_FALSE(calendar.due(999) || calendar.load(999));
  EXPECT_EQ(calendar.next_time(), 1'000);
  calendar.push(2, 999, 0);
  EXPECT_EQ(next(calendar), 2);
  EXPECT_EQ(next(calendar), 1);
  EXPECT_EQ(calendar.next_time(), 1'000'000'000);
  EXPECT_FALSE(calendar.load(999'999'999));
  calendar.push(3, 5'000, 1'000);
  EXPECT_EQ(next(calendar), 3);
  EXPECT_EQ(next(calendar), 7);
}

// Whatever the bucket width and the spread of times: everything leaves once, in time order.
TEST(Calendar, LeavesInTimeOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random = RandomStreams(seed).make("calendar");
    constexpr std::uint32_t kNodes = 50;
    Calendar calendar(kNodes, static_cast<int>(random.below(12)), 6 + static_cast<int>(random.below(4)));
    const std::uint64_t spread = std::uint64_t{1} << (2 + random.below(20));
    std::vector<std::int64_t> pending(kNodes, -1);
    std::int64_t now = 0;
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      calendar.push(node, pending[node] = static_cast<std::int64_t>(random.below(spread)), 0);
    }
    for (int step = 0; step < 2'000; ++step) {
      ASSERT_EQ(calendar.next_time(), *std::ranges::min_element(pending)) << "seed " << seed;
      const std::uint32_t node = next(calendar);
      ASSERT_EQ(pending[node], *std::ranges::min_element(pending)) << "seed " << seed;
      now = pending[node];
      pending[node] = now + static_cast<std::int64_t>(random.below(spread));
      if (random.below(4) == 0) {
        calendar.push_far(node, pending[node]);
      } else {
        calendar.push(node, pending[node], now);
      }
    }
  }
}

}  // namespace
}  // namespace overture::network::packet
