#include "overture/topology/live_routing.h"

#include <gtest/gtest.h>

#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture::topology {
namespace {

// A fat tree with k=4: hosts 0 to 15, edges 16 to 23, aggregations 24 to 31, cores 32 to 35.
struct LiveFatTree : testing::Test {
  Topology tree = fat_tree({.k = 4});

  int link(int from, int to) const {
    for (int port = 0; port < tree.graph.ports(from); ++port) {
      if (tree.graph.link(from, port).to == to) return tree.graph.first_link(from) + port;
    }
    return -1;
  }
  LiveRouting without(std::vector<std::pair<int, int>> cables) const {
    std::vector<bool> down(tree.graph.links().size());
    for (const auto& [a, b] : cables) {
      down[static_cast<std::size_t>(link(a, b))] = true;
      down[static_cast<std::size_t>(link(b, a))] = true;
    }
    return {tree.graph, std::move(down)};
  }
  static std::vector<int> walk(const Graph& graph, const Routing& routing, int from, int to,
                               const Pick& pick) {
    std::vector<int> nodes{from};
    while (nodes.back() != to)
      nodes.push_back(graph.link(nodes.back(), routing.port(nodes.back(), to, pick)).to);
    return nodes;
  }
};

TEST_F(LiveFatTree, TakesTheOtherAggregationWhenOneIsCutOff) {
  const LiveRouting live = without({{16, 24}});
  for (const std::uint64_t hash : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const std::vector<int> nodes = walk(tree.graph, live, 0, 15, Pick::by_hash(hash));
    EXPECT_EQ(nodes.size(), 7U);  // host, edge, aggregation, core, aggregation, edge, host
    EXPECT_EQ(nodes[2], 25);
  }
}

TEST_F(LiveFatTree, LooksAheadToALinkFarDownThePath) {
  // Aggregation 30 of the last pod has lost core 32; only cores 33 (over 30), 34 and 35 (over 31) lead there.
  const LiveRouting live = without({{32, 30}});
  for (std::uint64_t hash = 0; hash < 32; ++hash) {
    const std::vector<int> nodes = walk(tree.graph, live, 0, 15, Pick::by_hash(hash));
    EXPECT_EQ(nodes.size(), 7U);
    EXPECT_NE(nodes[3], 32);
  }
}

TEST_F(LiveFatTree, KnowsWhoIsCutOff) {
  const LiveRouting live = without({{0, 16}});
  EXPECT_FALSE(live.reaches(0, 1));
  EXPECT_FALSE(live.reaches(1, 0));
  EXPECT_TRUE(live.reaches(1, 15));
}

TEST_F(LiveFatTree, WithoutFaultsPathsAreShortest) {
  const LiveRouting live = without({});
  EXPECT_FALSE(live.any_down());
  for (int to = 1; to < 16; ++to) {
    EXPECT_EQ(walk(tree.graph, live, 0, to, Pick::by_destination()).size(),
              walk(tree.graph, *tree.routing, 0, to, Pick::by_destination()).size());
  }
}

}  // namespace
}  // namespace overture::topology
