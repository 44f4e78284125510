// The small parts of the credit networks, each against a plain model of itself: rings, idle channels, wires,
// the wheel of what is due, streams, and the numbers of a configuration.
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/garnet/channel.h"
#include "overture/network/garnet/config.h"
#include "overture/network/garnet/line.h"
#include "overture/network/garnet/streams.h"
#include "overture/network/garnet/testing.h"
#include "overture/network/garnet/wheel.h"

namespace overture::network::garnet {
namespace {

// ---- rings

TEST(Ring, DoesWhatADequeDoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 0);
    Ring<int> ring;
    std::deque<int> plain;
    const std::uint64_t pushes = 1 + random.below(9);  // of ten steps
    for (int step = 0; step < 2'000; ++step) {
      if (plain.empty() || random.below(10) < pushes) {
        ring.push(step);
        plain.push_back(step);
      } else {
        ring.pop();
        plain.pop_front();
      }
      ASSERT_EQ(ring.size(), plain.size());
      ASSERT_EQ(ring.empty(), plain.empty());
      if (!plain.empty()) {
        ASSERT_EQ(ring.front(), plain.front());
      }
    }
  }
}

// ---- virtual channels

Channel channel_of(int first_vc, int channels) {
  Channel channel;
  channel.first_vc = first_vc;
  channel.idle.resize(static_cast<std::size_t>(channels + 63) / 64);
  return channel;
}

TEST(Channel, FindsTheLowestIdleVirtualChannelOfASpan) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, 0);
    const int first_vc = static_cast<int>(random.below(100));
    const int channels = 1 + static_cast<int>(random.below(200));
    Channel channel = channel_of(first_vc, channels);
    std::set<int> idle;
    for (int step = 0; step < 300; ++step) {
      const int vc = first_vc + static_cast<int>(random.below(static_cast<std::uint64_t>(channels)));
      if (random.below(3) == 0) {
        channel.set_idle(vc);
        idle.insert(vc);
      } else {
        channel.set_busy(vc);
        idle.erase(vc);
      }
      ASSERT_EQ(channel.is_idle(vc), idle.contains(vc));
      const int first = first_vc + static_cast<int>(random.below(static_cast<std::uint64_t>(channels)));
      const int count =
          1 + static_cast<int>(random.below(static_cast<std::uint64_t>(first_vc + channels - first)));
      const auto lowest = idle.lower_bound(first);
      const int expected = lowest == idle.end() || *lowest >= first + count ? kNone : *lowest;
      ASSERT_EQ(channel.lowest_idle(first, count), expected) << "seed " << seed;
    }
  }
}

// ---- wires

TEST(Arrival, OnALinkAsWideAsAFlitIsItsLatencyLater) {
  const GarnetWire wire{.latency = 10};
  Cycle free = 0;
  EXPECT_EQ(arrival(100, wire, free), 111) << "the next cycle, and ten more";
  EXPECT_EQ(arrival(100, wire, free), 111) << "nothing is ever in the way";
  EXPECT_EQ(free, 0);
}

TEST(Arrival, OnANarrowLinkWaitsForTheFlitBefore) {
  const GarnetWire wire{.latency = 10, .parts = 4, .bridge = 2};
  Cycle free = 0;
  // From 101 on a cycle or two in the bridge, then four parts: free at 107; the last part arrives at 106 and
  // is joined and sent on by 108; ten cycles later it is there.
  EXPECT_EQ(arrival(100, wire, free), 118);
  EXPECT_EQ(free, 107);
  EXPECT_EQ(arrival(101, wire, free), 122) << "four cycles behind, not one";
  EXPECT_EQ(arrival(200, wire, free), 218) << "a link that rested is as new";
}

TEST(GarnetWire, CreditsHaveAWidthOfTheirOwn) {
  const GarnetWire wire{.latency = 3, .parts = 8, .credit_parts = 1};
  EXPECT_TRUE(wire.serialised());
  EXPECT_FALSE(wire.back().serialised());
  EXPECT_EQ(wire.back().latency, 3);
  EXPECT_EQ((GarnetWire{.parts = 8}.back().parts), 8) << "as flits have, if nothing is said";
}

// ---- the original's heap

TEST(Heap, GivesItemsByTimeAndThenByTheirPlaceInThePacket) {
  RandomStream random(3, 0);
  Heap heap;
  std::multiset<std::pair<Cycle, int>> plain;
  for (int step = 0; step < 3'000; ++step) {
    if (plain.empty() || random.below(5) < 3) {
      const Item item{.time = static_cast<Cycle>(random.below(50)),
                      .id = static_cast<std::int32_t>(random.below(9))};
      heap.push(item);
      plain.insert({item.time, item.id});
    } else {
      EXPECT_TRUE(heap.ready(plain.begin()->first));
      EXPECT_FALSE(heap.ready(plain.begin()->first - 1));
      const Item item = heap.pop();
      ASSERT_EQ(std::pair(item.time, static_cast<int>(item.id)), *plain.begin());
      plain.erase(plain.begin());
    }
    ASSERT_EQ(heap.empty(), plain.empty());
  }
}

// ---- the wheel

TEST(Wheel, HandsOutWhatIsDueInTheCycleInWhichItIs) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, 0);
    Wheel wheel;
    std::multimap<Cycle, std::uint32_t> plain;
    Cycle now = -1;
    std::uint32_t number = 0;
    const std::uint64_t spread = std::uint64_t{1} << random.below(15);  // beyond the wheel's 4,096 slots, too
    for (int step = 0; step < 2'000; ++step) {
      for (std::uint64_t more = random.below(3); more > 0; --more) {
        const Cycle when = now + 1 + static_cast<Cycle>(random.below(spread));
        wheel.add(when, number);
        plain.emplace(when, number++);
      }
      ASSERT_EQ(wheel.next(), plain.empty() ? Cycle{kNone} : plain.begin()->first) << "seed " << seed;
      if (plain.empty() || random.below(3) == 0) continue;
      now = plain.begin()->first;
      std::vector<std::uint32_t> due;
      wheel.take(now, due);
      std::vector<std::uint32_t> expected;
      for (auto end = plain.upper_bound(now); plain.begin() != end; plain.erase(plain.begin()))
        expected.push_back(plain.begin()->second);
      ASSERT_EQ(due, expected) << "seed " << seed;
    }
  }
}

TEST(Wheel, ACycleMayBeTakenInWhichNothingIsDue) {
  Wheel wheel;
  wheel.add(10, 1);
  std::vector<std::uint32_t> due;
  wheel.take(5, due);
  EXPECT_TRUE(due.empty());
  EXPECT_EQ(wheel.next(), 10);
  wheel.add(5 + 4'095, 2);  // the last that fits on the wheel
  wheel.add(5 + 4'096, 3);  // the first that does not
  wheel.take(10, due);
  EXPECT_EQ(due, std::vector<std::uint32_t>{1});
  EXPECT_EQ(wheel.next(), 4'100);
  wheel.take(4'100, due);
  EXPECT_EQ(due, std::vector<std::uint32_t>{2});
  EXPECT_EQ(wheel.next(), 4'101);
}

TEST(Wheel, WhatWasFarAwayComesFirstByNumberThenWhatWasNear) {
  Wheel wheel;
  wheel.add(5'000, 9);
  wheel.add(5'000, 3);
  std::vector<std::uint32_t> due;
  wheel.take(2'000, due);
  wheel.add(5'000, 1);
  wheel.take(5'000, due);
  EXPECT_EQ(due, (std::vector<std::uint32_t>{3, 9, 1}));
}

// ---- streams

// Messages as lists of packets that are still expected, per key.
TEST(Streams, CountEveryPacketForTheOldestMessageThatStillExpectsOne) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, 0);
    Streams streams;
    std::map<int, std::deque<std::pair<int, std::int64_t>>> expected;  // by tag: message, packets
    std::vector<std::pair<int, std::int32_t>> under_way;               // packets: tag, number
    std::set<int> complete;
    int messages = 0;
    for (int step = 0; step < 400; ++step) {
      if (under_way.empty() || random.below(4) == 0) {
        const int tag = static_cast<int>(random.below(3));
        const auto packets = static_cast<std::int64_t>(1 + random.below(4));
        const int message = messages++;
        const std::uint32_t number = streams.add({.from = 0, .to = 1, .vnet = 0, .tag = tag}, packets,
                                                 [&complete, message] { complete.insert(message); });
        expected[tag].emplace_back(message, packets);
        under_way.insert(under_way.end(), static_cast<std::size_t>(packets), {tag, number});
      } else {
        const std::size_t which = random.below(under_way.size());
        const auto [tag, number] = under_way[which];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
        auto& oldest = expected[tag].front();
        const bool ends = --oldest.second == 0;
        Action delivered = streams.arrived(number);
        ASSERT_EQ(static_cast<bool>(delivered), ends) << "seed " << seed;
        if (!ends) continue;
        delivered();
        ASSERT_TRUE(complete.contains(oldest.first)) << "seed " << seed;
        ASSERT_EQ(complete.size(),
                  static_cast<std::size_t>(
                      messages - (expected[0].size() + expected[1].size() + expected[2].size()) + 1));
        expected[tag].pop_front();
      }
    }
  }
}

// ---- numbers of a configuration

GarnetConfig torus(int local, int horizontal, int vertical) {
  GarnetConfig config;
  config.size = {local, horizontal, vertical};
  return config;
}

TEST(GarnetConfig, PacketsAndFlitsAreRoundedUp) {
  GarnetConfig config;
  config.packet = Bytes{64};
  config.flit_width = 128;  // 16 bytes
  EXPECT_EQ(config.flits_per_packet(), 4);
  config.packet = Bytes{65};
  EXPECT_EQ(config.flits_per_packet(), 5);
  EXPECT_EQ(config.packets(Bytes{1}), 1);
  EXPECT_EQ(config.packets(Bytes{65}), 1);
  EXPECT_EQ(config.packets(Bytes{66}), 2);
  EXPECT_EQ(config.packets(Bytes{0}), 0);
}

TEST(GarnetConfig, ALinkTakesAFlitInParts) {
  GarnetConfig config;
  config.flit_width = 512;
  EXPECT_EQ(config.parts({.width = 512}), 1);
  EXPECT_EQ(config.parts({.width = 2'048}), 1);
  EXPECT_EQ(config.parts({.width = 128}), 4);
  EXPECT_EQ(config.parts({.width = 200}), 3);
}

TEST(GarnetConfig, DimensionsHaveTheirVnetsOneBehindTheOther) {
  GarnetConfig config = torus(2, 3, 4);
  config.local_rings = 2;
  config.horizontal_rings = 1;
  config.vertical_rings = 3;
  EXPECT_EQ(config.vnets(), 2 + 2 + 6);
  int next = 0;
  for (int dimension = 0; dimension < 3; ++dimension) {
    EXPECT_EQ(vnets_of(config, dimension).first, next);
    next += vnets_of(config, dimension).count;
  }
  EXPECT_EQ(next, config.vnets());
}

TEST(GarnetConfig, EveryRingVisitsItsDimensionOnceAndComesBack) {
  GarnetConfig config = torus(2, 3, 4);
  config.local_rings = 2;
  for (int vnet = 0; vnet < config.vnets(); ++vnet) {
    int dimension = 0;
    while (vnet >= vnets_of(config, dimension).first + vnets_of(config, dimension).count) ++dimension;
    const int size = config.size[static_cast<std::size_t>(dimension)];
    const int stride = dimension == 0 ? 1 : dimension == 1 ? 2 : 6;
    for (int rank = 0; rank < config.ranks(); ++rank) {
      std::set<int> seen;
      int at = rank;
      for (int step = 0; step < size; ++step) {
        EXPECT_TRUE(seen.insert(at).second);
        const int next = next_rank(config, at, vnet);
        EXPECT_EQ(next - next / stride % size * stride, at - at / stride % size * stride)
            << "no other coordinate changes";
        at = next;
      }
      EXPECT_EQ(at, rank);
    }
  }
}

TEST(GarnetConfig, HalfOfTheRingsBetweenPackagesGoBack) {
  const GarnetConfig config = torus(1, 4, 1);
  EXPECT_EQ(next_rank(config, 0, 1), 1);
  EXPECT_EQ(next_rank(config, 0, 2), 3);
}

}  // namespace
}  // namespace overture::network::garnet
