// The static rivals of Opera: the random expander and direct connections along rings.
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/topology/direct_connect.h"
#include "overture/topology/expander.h"

namespace overture::topology {
namespace {

TEST(Expander, EveryTorHasItsUplinksToDifferentTors) {
  const Topology topology = expander({.tors = 26, .hosts_per_tor = 5, .uplinks = 7});
  const Graph& graph = topology.graph;
  ASSERT_EQ(graph.hosts(), 130);
  for (int tor = 130; tor < graph.nodes(); ++tor) {
    std::set<int> neighbours;
    for (const Link& link : graph.links_of(tor)) {
      if (!graph.is_host(link.to)) neighbours.insert(link.to);
    }
    EXPECT_EQ(neighbours.size(), 7);
    EXPECT_FALSE(neighbours.contains(tor));
  }
}

TEST(Expander, PathsAreShort) {
  const Topology topology = expander({.tors = 64, .hosts_per_tor = 1, .uplinks = 6});
  for (int to = 1; to < 64; ++to) {
    EXPECT_LE(path(topology, 0, to, Pick::by_destination()).size(), 2 + 4);
  }
}

TEST(Expander, RefusesWhatCannotWork) {
  EXPECT_THROW(expander({.tors = 7}), UserError);
  EXPECT_THROW(expander({.tors = 4, .uplinks = 4}), UserError);
  EXPECT_THROW(expander({.tors = 64, .uplinks = 1}), UserError);
}

TEST(DirectConnect, RingsVisitEveryNodeOverTheirOwnFibres) {
  const DirectConnectConfig config{.nodes = 16};
  const Topology topology = direct_connect(config);
  std::set<int> used;
  const auto rings = direct_connect_rings(config);
  ASSERT_EQ(rings.size(), 4);
  for (const auto& ring : rings) {
    EXPECT_EQ(std::set<int>(ring.begin(), ring.end()).size(), 16);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto links = path(topology, ring[i], ring[(i + 1) % ring.size()], Pick::by_destination());
      ASSERT_EQ(links.size(), 3);  // into the NIC, one fibre, out of the NIC
      EXPECT_TRUE(used.insert(links[1]).second);
    }
  }
  EXPECT_EQ(used.size(), 64);
}

TEST(DirectConnect, JumpsSpreadGeometrically) {
  EXPECT_EQ(direct_connect_jumps(16, 4), (std::vector{1, 3, 5, 7}));
  const Topology topology = direct_connect({.nodes = 128});
  for (int to = 1; to < 128; ++to) {
    EXPECT_LE(path(topology, 0, to, Pick::by_destination()).size(), 2 + 12);
  }
}

TEST(DirectConnect, RefusesJumpsThatMakeNoRing) {
  EXPECT_THROW(direct_connect({.nodes = 16, .jumps = {2}}), UserError);
  EXPECT_THROW(direct_connect({.nodes = 6, .degree = 4}), UserError);
  EXPECT_THROW(direct_connect({.nodes = 1}), UserError);
}

}  // namespace
}  // namespace overture::topology
