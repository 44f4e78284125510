#include "overture/sim/time_queue.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace overture::sim {
namespace {

using namespace literals;

TEST(TimeQueue, PopsInOrderOfTimeThenOfArrival) {
  TimeQueue queue;
  queue.push(Time{2ns}, 20);
  queue.push(Time{1ns}, 10);
  queue.push(Time{2ns}, 21);
  std::vector<std::uint64_t> order;
  while (queue.advance(Time{1us})) order.push_back(queue.pop());
  EXPECT_EQ(order, (std::vector<std::uint64_t>{10, 20, 21}));
  EXPECT_EQ(queue.size(), 0);
}

TEST(TimeQueue, MovesTheClockToTheNextEntryOrToTheLimit) {
  TimeQueue queue;
  queue.push(Time{5ns}, 1);
  EXPECT_FALSE(queue.advance(Time{4ns}));
  EXPECT_EQ(queue.now(), Time{4ns});
  EXPECT_TRUE(queue.advance(Time{9ns}));
  EXPECT_EQ(queue.now(), Time{5ns});
  queue.pop();
  EXPECT_FALSE(queue.advance(Time{9ns}));
  EXPECT_EQ(queue.now(), Time{9ns});
}

TEST(TimeQueue, ShowsTheNextEntriesInOrder) {
  TimeQueue queue;
  for (std::uint64_t i = 0; i < 10'000; ++i) queue.push(Time{Duration{i * 7919 % 10'000}}, i);
  while (queue.size() > 0) {
    ASSERT_TRUE(queue.advance(Time::max()));
    const auto near = queue.near();
    ASSERT_FALSE(near.empty());
    EXPECT_EQ(near.front().when, queue.now());
    EXPECT_TRUE(std::is_sorted(near.begin(), near.end(),
                               [](const auto& a, const auto& b) { return a.when < b.when; }));
    for (std::size_t left = near.size(); left > 0; --left) {
      queue.advance(Time::max());
      queue.pop();
    }
  }
  EXPECT_EQ(queue.now(), Time{9999_ps});
}

// The lone entry and the crowd after it are in neighbouring buckets; what comes in between must not be
// misplaced because the crowd has been looked at.
TEST(TimeQueue, TakesManyEntriesJustBeforeACrowd) {
  TimeQueue queue;
  const auto push = [&](Time when) {
    queue.push(when, static_cast<std::uint64_t>(when.time_since_epoch().count()));
  };
  for (int i = 0; i < 200; ++i) push(Time{10ns} + Duration{i});
  push(Time{900ns});
  for (int i = 0; i < 200; ++i) push(Time{1us} + Duration{i});

  std::vector<std::uint64_t> order;
  while (queue.advance(Time::max())) {
    order.push_back(queue.pop());
    if (queue.now() != Time{900ns}) continue;
    for (int i = 200; i > 0; --i) push(Time{900ns} + Duration{i});
  }
  EXPECT_EQ(order.size(), 601);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace overture::sim
