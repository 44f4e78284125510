// Properties of how RotorLB divides packets, of the event lanes, and of the numbers of links.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/network/rotor/config.h"
#include "overture/network/rotor/event_lanes.h"
#include "overture/network/rotor/fair_share.h"
#include "overture/network/rotor/link_numbers.h"

namespace overture::network::rotor {
namespace {

int sum(std::span<const int> values) { return std::accumulate(values.begin(), values.end(), 0); }

std::vector<int> draw(RandomStream& random, std::size_t count, std::uint64_t most) {
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(random.below(most + 1));
  return values;
}

TEST(FairShareProperties, TakesAllThatIsThereOrAllThatFitsAndNoElementFallsBehindUnfairly) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random = RandomStreams(seed).make("demand");
    FairShare share(RandomStreams(seed).make("share"));
    const std::vector<int> demand = draw(random, 1 + random.below(12), 30);
    const int capacity = static_cast<int>(random.below(120));
    std::vector<int> left = demand;
    share.take(left, capacity);
    EXPECT_EQ(sum(demand) - sum(left), std::min(capacity, sum(demand))) << "seed " << seed;
    // Max-min: whoever still wants something got as much as anybody else, but for the remainder, which is too
    // small to go round and is dealt out at random.
    int least_unsatisfied = std::numeric_limits<int>::max();
    int most = 0;
    for (std::size_t i = 0; i < demand.size(); ++i) {
      ASSERT_GE(left[i], 0);
      ASSERT_LE(left[i], demand[i]);
      if (left[i] > 0) least_unsatisfied = std::min(least_unsatisfied, demand[i] - left[i]);
      most = std::max(most, demand[i] - left[i]);
    }
    if (least_unsatisfied != std::numeric_limits<int>::max()) {
      EXPECT_LT(most, least_unsatisfied + static_cast<int>(demand.size())) << "seed " << seed;
    }
  }
}

TEST(FairShareProperties, AMatrixNeverGrantsMoreThanDemandRowOrColumn) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random = RandomStreams(seed).make("matrix");
    FairShare share(RandomStreams(seed).make("share"));
    const std::size_t rows = 1 + random.below(6);
    const std::size_t columns = 1 + random.below(6);
    const std::vector<int> demand = draw(random, rows * columns, 20);
    const std::vector<int> row_capacity = draw(random, rows, 40);
    const std::vector<int> column_capacity = draw(random, columns, 40);
    const auto granted = share.matrix(demand, row_capacity, column_capacity);
    std::vector<int> of_row(rows);
    std::vector<int> of_column(columns);
    for (std::size_t i = 0; i < demand.size(); ++i) {
      ASSERT_GE(granted[i], 0);
      ASSERT_LE(granted[i], demand[i]);
      of_row[i / columns] += granted[i];
      of_column[i % columns] += granted[i];
    }
    for (std::size_t r = 0; r < rows; ++r) EXPECT_LE(of_row[r], row_capacity[r]) << "seed " << seed;
    for (std::size_t c = 0; c < columns; ++c) EXPECT_LE(of_column[c], column_capacity[c]) << "seed " << seed;
  }
}

TEST(FairShareProperties, AMatrixThatFitsIsGrantedWhole) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random = RandomStreams(seed).make("fits");
    FairShare share(RandomStreams(seed).make("share"));
    const std::vector<int> demand = draw(random, 12, 9);
    std::vector<int> rows(3);
    std::vector<int> columns(4);
    for (std::size_t i = 0; i < demand.size(); ++i) {
      rows[i / 4] += demand[i];
      columns[i % 4] += demand[i];
    }
    const auto granted = share.matrix(demand, rows, columns);
    EXPECT_TRUE(std::ranges::equal(granted, demand)) << "seed " << seed;
  }
}

TEST(FairShareProperties, SharedCapacityIsNeverExceededByAllOrByAColumn) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random = RandomStreams(seed).make("shared");
    FairShare share(RandomStreams(seed).make("share"));
    const std::vector<int> room = draw(random, 5, 25);
    std::vector<FairShare::Element> elements(1 + random.below(15));
    for (FairShare::Element& element : elements)
      element = {.column = static_cast<int>(random.below(5)), .demand = static_cast<int>(random.below(20))};
    const int capacity = static_cast<int>(random.below(80));
    share.shared(elements, capacity, room);
    std::vector<int> used(5);
    for (const FairShare::Element& element : elements) {
      ASSERT_GE(element.granted, 0);
      ASSERT_LE(element.granted, element.demand);
      used[static_cast<std::size_t>(element.column)] += element.granted;
    }
    EXPECT_LE(sum(used), capacity) << "seed " << seed;
    for (std::size_t c = 0; c < room.size(); ++c) EXPECT_LE(used[c], room[c]) << "seed " << seed;
  }
}

// Events of the lanes' own delays and odd ones, against a sorted set.
TEST(EventLanes, GiveEventsInTheOrderOfTimeThenRankThenPush) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random = RandomStreams(seed).make("lanes");
    EventLanes lanes({10, 25, 100});
    std::set<std::tuple<std::int64_t, std::uint64_t, std::uint64_t, std::uint32_t>> model;
    std::int64_t now = 0;
    std::uint64_t serial = 0;
    for (int step = 0; step < 2000; ++step) {
      if (model.empty() || random.below(5) < 3) {
        constexpr std::int64_t kDelays[]{10, 25, 100, 0, 3, 60};
        const std::int64_t when = now + kDelays[random.below(6)];
        const std::uint64_t order = random.below(4);
        const auto id = static_cast<std::uint32_t>(step);
        lanes.push(when, order, id);
        model.insert({when, order, serial++, id});
      } else {
        ASSERT_EQ(lanes.next_time(), std::get<0>(*model.begin()));
        const EventLanes::Event event = lanes.pop();
        ASSERT_EQ(event.when, std::get<0>(*model.begin())) << "seed " << seed;
        ASSERT_EQ(event.id, std::get<3>(*model.begin())) << "seed " << seed;
        now = event.when;
        model.erase(model.begin());
      }
    }
  }
}

TEST(LinkNumbers, EveryLinkHasItsOwn) {
  const topology::Opera opera = topology::generate_opera({.tors = 8, .ports = 8, .seed = 2});
  const LinkNumbers numbers(opera);
  std::set<int> seen;
  for (int host = 0; host < opera.hosts(); ++host) {
    seen.insert(numbers.from_host(host));
    seen.insert(numbers.to_host(host));
  }
  for (int tor = 0; tor < opera.tors(); ++tor) {
    for (int rotor = 0; rotor < opera.uplinks(); ++rotor) {
      seen.insert(numbers.to_rotor(tor, rotor));
      seen.insert(numbers.from_rotor(rotor, tor));
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), numbers.count());
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), numbers.count() - 1);
}

TEST(LinkNumbers, NamesSayWhereALinkGoesAndGroupsHoldWhatGoesUpToARotor) {
  const topology::Opera opera = topology::generate_opera({.tors = 4, .ports = 8, .seed = 1});
  const NetworkRecord record = named_links(opera, Bandwidth::bits_per_second(1'000'000'000));
  const LinkNumbers numbers(opera);
  ASSERT_EQ(static_cast<int>(record.links.size()), numbers.count());
  std::set<std::pair<std::string, std::string>> ends;
  for (const NetworkRecord::Link& link : record.links) {
    EXPECT_NE(link.from, link.to);
    EXPECT_TRUE(ends.insert({link.from, link.to}).second) << link.from << " to " << link.to;
    EXPECT_LT(link.tier, record.tiers.size());
  }
  ASSERT_EQ(static_cast<int>(record.groups.size()), opera.uplinks());
  for (const NetworkRecord::Group& group : record.groups)
    EXPECT_EQ(static_cast<int>(group.links.size()), opera.tors());
}

TEST(RotorConfig, LongerSlotsGiveMoreTurnsAndFasterWiresMorePackets) {
  const topology::Opera opera = topology::generate_opera({.tors = 8, .ports = 8});
  const topology::Opera slow =
      topology::generate_opera({.tors = 8, .ports = 8, .slice = 10 * opera.timing().slice()});
  const RotorConfig config = rotornet();
  EXPECT_GT(turns_per_slot(slow, config), turns_per_slot(opera, config));
  RotorConfig fast = config;
  fast.rate = Bandwidth::bits_per_second(4 * config.rate.bits_per_second());
  EXPECT_GE(packets_per_slot(opera, fast), 3 * packets_per_slot(opera, config));
}

}  // namespace
}  // namespace overture::network::rotor
