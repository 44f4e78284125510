#include "overture/network/packet/calendar.h"

#include <limits>
#include <set>
#include <tuple>

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

// The rule of the header, word for word, as a sorted set: time; far ones as they came; then what was known
// longer; then the rank, which counts how often one came right after another of its node; then the number.
class SortedSet {
 public:
  explicit SortedSet(std::uint32_t nodes) : rank_(nodes) {}

  void push_far(std::uint32_t what, std::int64_t when) { set_.insert({when, false, 0, ++far_, what}); }
  void push_first(std::uint32_t node, std::int64_t when, std::int64_t age) {
    rank_[node] = 0;
    insert(node, when, age);
  }
  void push_next(std::uint32_t node, std::int64_t when, std::int64_t age) {
    rank_[node] = std::min(rank_[node] + 1, 255);
    insert(node, when, age);
  }
  std::pair<std::uint32_t, std::int64_t> pop() {
    const auto first = *set_.begin();
    set_.erase(set_.begin());
    return {std::get<4>(first), std::get<0>(first)};
  }
  bool empty() const { return set_.empty(); }

 private:
  void insert(std::uint32_t node, std::int64_t when, std::int64_t age) {
    set_.insert({when, true, -age, rank_[node], node});
  }

  std::set<std::tuple<std::int64_t, bool, std::int64_t, std::int64_t, std::uint32_t>> set_;
  std::vector<int> rank_;
  std::int64_t far_ = 0;
};

TEST(Calendar, OrdersTiesAsItsHeaderSays) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    RandomStream random(seed, 4);
    constexpr std::uint32_t kNodes = 40;
    constexpr std::uint32_t kFar = 1'000;  // numbers from here on are given to push_far()
    Calendar calendar(kNodes, static_cast<int>(random.below(8)), 6 + static_cast<int>(random.below(3)));
    SortedSet sorted(kNodes);
    const std::uint64_t spread = 1 + random.below(40);  // few different times: many ties
    const auto later = [&] {
      return static_cast<std::int64_t>(random.below(spread) * (1 + random.below(50)));
    };
    const auto push = [&](std::uint32_t node, std::int64_t now) {
      const std::int64_t when = now + later();
      const auto age = static_cast<std::int64_t>(random.below(4));
      if (random.below(3) == 0) {
        calendar.push_next(node, when, age);
        sorted.push_next(node, when, age);
      } else {
        calendar.push_first(node, when, age);
        sorted.push_first(node, when, age);
      }
    };
    for (std::uint32_t node = 0; node < kNodes; ++node) push(node, 0);
    std::int64_t now = 0;
    for (int step = 0; step < 3'000; ++step) {
      ASSERT_FALSE(sorted.empty());
      ASSERT_TRUE(calendar.due(kNever) || calendar.load(kNever));
      const Calendar::Entry entry = calendar.pop();
      const auto [what, when] = sorted.pop();
      ASSERT_EQ(entry.when, when) << "seed " << seed << " step " << step;
      ASSERT_EQ(entry.what, what) << "seed " << seed << " step " << step;
      now = when;
      if (what < kFar) push(what, now);
      if (random.below(5) == 0) {
        const std::uint32_t far = kFar + static_cast<std::uint32_t>(random.below(100));
        const std::int64_t far_when = now + later();
        calendar.push_far(far, far_when);
        sorted.push_far(far, far_when);
      }
    }
  }
}

TEST(Calendar, OneNodeIsAsGoodAsMany) {
  Calendar calendar(1, 0, 6);
  for (std::int64_t when = 0; when < 1'000; when += 7) {
    calendar.push(0, when, when);
    EXPECT_EQ(calendar.next_time(), when);
    EXPECT_EQ(next(calendar), 0U);
    EXPECT_EQ(calendar.next_time(), kNever);
  }
}

// Asked after every push and every pop, while buckets fill, empty and come round again.
TEST(Calendar, AlwaysKnowsWhenTheNextOneIsDue) {
  RandomStream random = RandomStreams(3).make("calendar");
  constexpr std::uint32_t kNodes = 200;
  Calendar calendar(kNodes, 8, 6);  // 64 buckets of 256 ps
  std::multiset<std::int64_t> due;
  std::vector<std::uint32_t> idle;
  for (std::uint32_t node = 0; node < kNodes; ++node) idle.push_back(node);
  std::int64_t now = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    if (!idle.empty() && random.below(2) == 0) {
      const std::int64_t when = now + static_cast<std::int64_t>(random.below(20'000));
      calendar.push(idle.back(), when, now);
      idle.pop_back();
      due.insert(when);
    } else if (!due.empty()) {
      now = *due.begin();
      due.erase(due.begin());
      idle.push_back(next(calendar));
    }
    ASSERT_EQ(calendar.next_time(), due.empty() ? kNever : *due.begin()) << turn;
  }
}

TEST(Calendar, BackwardsWhatFollowsAnotherOfItsNodeComesFirst) {
  Calendar forwards(4, 4, 6);
  Calendar backwards(4, 4, 6);
  backwards.rank_backwards();
  for (Calendar* const calendar : {&forwards, &backwards}) {
    calendar->push_first(1, 10, 5);
    EXPECT_EQ(next(*calendar), 1U);
    calendar->push_next(1, 20, 5);   // follows
    calendar->push_first(2, 20, 5);  // comes at a distance
  }
  EXPECT_EQ(next(forwards), 2U);
  EXPECT_EQ(next(forwards), 1U);
  EXPECT_EQ(next(backwards), 1U);
  EXPECT_EQ(next(backwards), 2U);
}

TEST(Calendar, OfThoseKnownForAsLongTheOneWithTheOlderCauseIsFirst) {
  Calendar calendar(8, 4, 6, 1'000);
  calendar.keep_orders();
  const std::uint64_t young = calendar.caused_by(10);
  const std::uint64_t old_first = calendar.caused_by(700);
  const std::uint64_t old_second = calendar.caused_by(700);
  const std::uint64_t oldest = calendar.caused_by(kNever);  // a timer
  calendar.push_caused(1, 2'000, 50, young);
  calendar.push_caused(2, 2'000, 50, old_second);
  calendar.push_caused(3, 2'000, 50, old_first);
  calendar.push_caused(4, 2'000, 50, oldest);
  calendar.push_caused(5, 2'000, 60, young);  // known for longer: no cause matters
  calendar.push_far(1'000, 2'000);
  for (const std::uint32_t what : {1'000, 5, 4, 3, 2, 1}) EXPECT_EQ(next(calendar), what);
}

TEST(Calendar, CausesOrderManyAtOnceToo) {
  constexpr std::uint32_t kNodes = 200;  // more than are sorted by insertion
  Calendar calendar(kNodes, 4, 6, 1'000);
  calendar.keep_orders();
  for (std::uint32_t node = kNodes; node-- > 0;) calendar.push_caused(node, 100, 5, calendar.caused_by(7));
  for (std::uint32_t node = kNodes; node-- > 0;) EXPECT_EQ(next(calendar), node);
}

TEST(Calendar, WhatIsAheadIsTheNextButSoMany) {
  Calendar calendar(8, 4, 6);
  for (std::uint32_t node = 0; node < 4; ++node) calendar.push(node, 10 + node, 0);
  ASSERT_TRUE(calendar.load(kNever));
  EXPECT_EQ(calendar.ahead(0), 0U);
  EXPECT_EQ(calendar.ahead(3), 3U);
  EXPECT_EQ(calendar.ahead(4), ~std::uint32_t{0}) << "not known";
}

}  // namespace
}  // namespace overture::network::packet
