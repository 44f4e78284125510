#include "overture/topology/hierarchy_graph.h"

#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture::topology {
namespace {

using enum DimensionKind;

HierarchyGraphConfig machine_of(const std::vector<Hierarchy::Dimension>& dimensions) {
  HierarchyGraphConfig config;
  for (const auto& [kind, size] : dimensions) config.dimensions.push_back({.kind = kind, .size = size});
  return config;
}

// Up to four dimensions of up to five, at most 150 ranks.
HierarchyGraphConfig draw(RandomStream& random) {
  std::vector<Hierarchy::Dimension> dimensions;
  int ranks = 1;
  do {
    const Hierarchy::Dimension next{.kind = static_cast<DimensionKind>(random.below(3)),
                                    .size = 1 + static_cast<int>(random.below(5))};
    if (ranks * next.size > 150) break;
    ranks *= next.size;
    dimensions.push_back(next);
  } while (dimensions.size() < 4);
  return machine_of(dimensions);
}

TEST(HierarchyGraph, APathCrossesTheHopsOfEveryDimensionInWhichItsEndsDiffer) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    RandomStream random(seed, 0);
    const HierarchyGraphConfig config = draw(random);
    const Topology built = hierarchy_graph(config);
    const Hierarchy machine = hierarchy(config);
    for (int trial = 0; trial < 300; ++trial) {
      const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(machine.ranks())));
      const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(machine.ranks())));
      if (from == to) continue;
      std::vector<int> expected{0};
      for (int d = 0; d < machine.dimensions(); ++d) {
        if (machine.coordinate(Rank{from}, d) == machine.coordinate(Rank{to}, d)) continue;
        expected.insert(expected.end(), static_cast<std::size_t>(machine.hops(Rank{from}, Rank{to}, d)),
                        d + 1);
      }
      expected.push_back(0);
      std::vector<int> tiers;
      for (const int link : path(built, from, to, Pick::by_hash(random())))
        tiers.push_back(built.graph.links()[static_cast<std::size_t>(link)].wire.tier);
      ASSERT_EQ(tiers, expected) << "seed " << seed << ": " << from << " to " << to;
    }
  }
}

TEST(HierarchyGraph, ASwitchJoinsTheRanksThatDifferInItsDimensionOnly) {
  // Ranks 0 to 5, routers 6 to 11; dimension 1 has a switch for each coordinate of dimension 0: 12 and 13.
  const Topology built = hierarchy_graph(machine_of({{ring, 2}, {switched, 3}}));
  ASSERT_EQ(built.graph.nodes(), 14);
  std::set<int> first;
  std::set<int> second;
  for (const Link& link : built.graph.links_of(12)) first.insert(link.to - 6);
  for (const Link& link : built.graph.links_of(13)) second.insert(link.to - 6);
  EXPECT_EQ(first, (std::set{0, 2, 4}));
  EXPECT_EQ(second, (std::set{1, 3, 5}));
}

TEST(HierarchyGraph, HalfWayRoundARingBothWaysAreEqual) {
  const Topology built = hierarchy_graph(machine_of({{ring, 4}}));
  EXPECT_EQ(equal_ports(built, 4, 2).size(), 2U);
  EXPECT_EQ(equal_ports(built, 4, 1), std::vector{1});
  EXPECT_EQ(equal_ports(built, 4, 3), std::vector{2});
}

TEST(HierarchyGraph, OfAFullMeshEveryPeerIsOneLinkAway) {
  const Topology built = hierarchy_graph(machine_of({{fully_connected, 5}}));
  std::set<int> used;
  for (int from = 0; from < 5; ++from) {
    for (int to = 0; to < 5; ++to) {
      if (from == to) continue;
      const auto links = path(built, from, to, Pick::by_destination());
      ASSERT_EQ(links.size(), 3U);
      used.insert(links[1]);
    }
  }
  EXPECT_EQ(used.size(), 20U) << "every ordered pair has its own link";
}

TEST(HierarchyGraph, WiresAreThoseOfTheirDimensions) {
  using namespace literals;
  HierarchyGraphConfig config = machine_of({{ring, 3}, {switched, 2}});
  config.dimensions[0].wire.rate = 1_Gbps;
  config.dimensions[1].wire.rate = 2_Gbps;
  config.local.rate = 3_Gbps;
  const Topology built = hierarchy_graph(config);
  for (const Link& link : built.graph.links()) {
    const Bandwidth expected = link.wire.tier == 0 ? 3_Gbps : link.wire.tier == 1 ? 1_Gbps : 2_Gbps;
    EXPECT_EQ(link.wire.rate, expected);
  }
}

TEST(HierarchyGraph, OfOneRankIsARankAndItsRouter) {
  const Topology built = hierarchy_graph(machine_of({{switched, 1}}));
  EXPECT_EQ(built.graph.nodes(), 2);
}

TEST(HierarchyGraph, RefusesWhatDoesNotFitInMemory) {
  const std::string error = user_error([] {
    hierarchy_graph(machine_of({{fully_connected, 10'000}, {ring, 1}}));
  });
  EXPECT_NE(error.find("a hierarchy with"), std::string::npos);
  EXPECT_NE(error.find("too large for memory"), std::string::npos);
}

TEST(Hierarchy, ARankIsTheSumOfItsCoordinatesTimesTheirStrides) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    RandomStream random(seed, 0);
    const Hierarchy machine = hierarchy(draw(random));
    for (int rank = 0; rank < machine.ranks(); ++rank) {
      int sum = 0;
      for (int d = 0; d < machine.dimensions(); ++d)
        sum += machine.coordinate(Rank{rank}, d) * machine.stride(d);
      EXPECT_EQ(sum, rank);
    }
  }
}

TEST(Hierarchy, TheDimensionBetweenTwoIsTheHighestWhoseCoordinatesDiffer) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    RandomStream random(seed, 0);
    const Hierarchy machine = hierarchy(draw(random));
    for (int trial = 0; trial < 200; ++trial) {
      const Rank a{static_cast<int>(random.below(static_cast<std::uint64_t>(machine.ranks())))};
      const Rank b{static_cast<int>(random.below(static_cast<std::uint64_t>(machine.ranks())))};
      int highest = -1;
      for (int d = 0; d < machine.dimensions(); ++d) {
        if (machine.coordinate(a, d) != machine.coordinate(b, d)) highest = d;
      }
      EXPECT_EQ(machine.dimension_between(a, b), highest);
      EXPECT_EQ(machine.dimension_between(b, a), highest);
    }
  }
}

TEST(Hierarchy, KindsAreNamedAsAUserTypesThem) {
  EXPECT_EQ(name(ring), "ring");
  EXPECT_EQ(name(fully_connected), "fully_connected");
  EXPECT_EQ(name(switched), "switch");
}

}  // namespace
}  // namespace overture::topology
