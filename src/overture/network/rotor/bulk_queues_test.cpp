#include "overture/network/rotor/bulk_queues.h"

#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::network::rotor {
namespace {

TEST(BulkQueues, AMessageWaitsAtItsSource) {
  BulkQueues queues(4);
  const std::uint32_t message = queues.add(1, 3, 5);
  EXPECT_EQ(queues.waiting(1), 5);
  EXPECT_EQ(queues.counts(Waiting::own, 1)[3], 5);
  EXPECT_EQ(queues.destinations(1), std::vector{3});
  EXPECT_TRUE(queues.empty(3));
  EXPECT_EQ(queues.pop(Waiting::own, 1, 3), message);
  EXPECT_EQ(queues.waiting(1), 4);
}

TEST(BulkQueues, TakingStopsAtTheEndOfTheQueue) {
  BulkQueues queues(3);
  const std::uint32_t a = queues.add(0, 1, 2);
  const std::uint32_t b = queues.add(0, 1, 3);
  std::vector<BulkQueues::Taken> taken;
  queues.take(Waiting::own, 0, 1, 4, taken);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].message, a);
  EXPECT_EQ(taken[0].packets, 2);
  EXPECT_EQ(taken[1].message, b);
  EXPECT_EQ(taken[1].packets, 2);
  queues.take(Waiting::own, 0, 1, 100, taken);
  EXPECT_EQ(taken.back().packets, 1);
  EXPECT_TRUE(queues.empty(0));
  EXPECT_TRUE(queues.destinations(0).empty());
}

TEST(BulkQueues, WhatIsGivenBackIsFirstAgain) {
  BulkQueues queues(4);
  const std::uint32_t a = queues.add(0, 1, 1);
  const std::uint32_t b = queues.add(0, 1, 1);
  EXPECT_EQ(queues.pop(Waiting::own, 0, 1), a);
  queues.give_back(0, a);
  EXPECT_EQ(queues.pop(Waiting::own, 0, 1), a);
  EXPECT_EQ(queues.pop(Waiting::own, 0, 1), b);
  // At another host than its source it was parked.
  queues.give_back(2, a);
  EXPECT_EQ(queues.counts(Waiting::relayed, 2)[1], 1);
}

TEST(BulkQueues, WhatWasParkedAtABrokenRackIsSentAgainByItsSources) {
  BulkQueues queues(4);
  const std::uint32_t a = queues.add(0, 3, 4);
  for (int i = 0; i < 3; ++i) queues.pop(Waiting::own, 0, 3);
  queues.push_back(Waiting::relayed, 2, 3, a, 3);
  EXPECT_EQ(queues.return_to_sources(2, 3), 3);
  EXPECT_TRUE(queues.empty(2));
  EXPECT_EQ(queues.counts(Waiting::own, 0)[3], 4);
}

TEST(BulkQueues, NumbersOfMessagesAreUsedAgain) {
  BulkQueues queues(2);
  const std::uint32_t a = queues.add(0, 1, 1);
  queues.pop(Waiting::own, 0, 1);
  queues.remove(a);
  EXPECT_EQ(queues.add(1, 0, 1), a);
}

// Against plain lists of packets, through thousands of random steps.
TEST(BulkQueues, DoWhatPlainListsDo) {
  constexpr int kHosts = 5;
  using Key = std::tuple<Waiting, int, int>;
  RandomStream random(11, 0);
  BulkQueues queues(kHosts);
  std::map<Key, std::deque<std::uint32_t>> plain;
  std::map<std::uint32_t, std::pair<int, int>> ends;
  const auto host = [&] { return static_cast<int>(random.below(kHosts)); };
  for (int step = 0; step < 20'000; ++step) {
    const Waiting kind = random.below(2) == 0 ? Waiting::own : Waiting::relayed;
    const int at = host();
    const int to = host();
    auto& list = plain[{kind, at, to}];
    switch (random.below(4)) {
      case 0: {
        if (at == to) break;
        const auto packets = static_cast<std::int64_t>(1 + random.below(6));
        const std::uint32_t message = queues.add(at, to, packets);
        ends[message] = {at, to};
        auto& own = plain[{Waiting::own, at, to}];
        own.insert(own.end(), static_cast<std::size_t>(packets), message);
        break;
      }
      case 1: {
        if (list.empty()) break;
        ASSERT_EQ(queues.pop(kind, at, to), list.front());
        list.pop_front();
        break;
      }
      case 2: {
        std::vector<BulkQueues::Taken> taken;
        const int most = static_cast<int>(random.below(8));
        queues.take(kind, at, to, most, taken);
        int count = 0;
        for (const BulkQueues::Taken& run : taken) {
          for (int i = 0; i < run.packets; ++i, ++count) {
            ASSERT_EQ(run.message, list.front());
            list.pop_front();
          }
        }
        ASSERT_TRUE(count == most || list.empty());
        break;
      }
      default: {
        if (ends.empty()) break;
        auto any = ends.begin();
        std::advance(any, static_cast<std::ptrdiff_t>(random.below(ends.size())));
        const auto& [message, pair] = *any;
        if (at == pair.first || at == pair.second) break;
        queues.push_back(Waiting::relayed, at, pair.second, message, 2);
        auto& parked = plain[{Waiting::relayed, at, pair.second}];
        parked.insert(parked.end(), 2, message);
        break;
      }
    }
    std::int64_t waiting = 0;
    for (int other = 0; other < kHosts; ++other) {
      for (const Waiting each : {Waiting::own, Waiting::relayed}) {
        const auto size = static_cast<int>(plain[{each, at, other}].size());
        ASSERT_EQ(queues.counts(each, at)[static_cast<std::size_t>(other)], size);
        waiting += size;
      }
      const std::int64_t expected = plain[{Waiting::own, at, other}].empty() ? 0 : 1;
      ASSERT_EQ(std::ranges::count(queues.destinations(at), other), expected);
    }
    ASSERT_EQ(queues.waiting(at), waiting);
  }
}

}  // namespace
}  // namespace overture::network::rotor
