// What holds for every shape that a setup can name, small and odd ones among them.
#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/topology/graph_config.h"

namespace overture::topology {
namespace {

std::vector<GraphConfig> shapes() {
  return {
      {.shape = StarConfig{.hosts = 2}},
      {.shape = StarConfig{.hosts = 17}},
      {.shape = LeafSpineConfig{.leaves = 1, .hosts_per_leaf = 3, .spines = 1}},
      {.shape = LeafSpineConfig{.leaves = 5, .hosts_per_leaf = 2, .spines = 3}},
      {.shape = LeafSpineConfig{.leaves = 4, .hosts_per_leaf = 3, .spines = 2, .rails = true}},
      {.shape = LeafSpineConfig{.leaves = 4, .hosts_per_leaf = 4, .spines = 2}, .oversubscription = 3},
      {.shape = FatTreeConfig{.k = 2}},
      {.shape = FatTreeConfig{.k = 6}},
      {.shape = FatTreeConfig{.k = 4, .hosts_per_edge = 5}},
      {.shape = FatTreeConfig{.k = 4}, .oversubscription = 2},
      {.shape = TorusConfig{.sizes = {2}}},
      {.shape = TorusConfig{.sizes = {3, 5}}},
      {.shape = TorusConfig{.sizes = {4, 2, 2}}},
      {.shape = ExpanderConfig{.tors = 10, .hosts_per_tor = 2, .uplinks = 3}},
      {.shape = DirectConnectConfig{.nodes = 12, .degree = 2}},
      {.shape = DragonflyConfig{}},
      {.shape = DragonflyConfig{.groups = 3}},
      {.shape = HierarchyGraphConfig{.dimensions = {{DimensionKind::ring, 4}, {DimensionKind::switched, 3}}}},
      {.shape = HierarchyGraphConfig{.dimensions = {{DimensionKind::fully_connected, 5}}}},
      {.shape = StarConfig{.hosts = 6},
       .nodes = HierarchicalSwitchConfig{.gpus_per_node = 4, .nics_per_node = 2}}};
}

template <class Check>
void for_each_shape(Check check) {
  int number = 0;
  for (const GraphConfig& config : shapes()) {
    SCOPED_TRACE("shape " + std::to_string(number++));
    check(make_topology(config));
  }
}

// But for direct connections, whose fibres go one way round their rings.
TEST(Shapes, EveryCableHasALinkEachWay) {
  for (const GraphConfig& config : shapes()) {
    if (std::holds_alternative<DirectConnectConfig>(config.shape)) continue;
    const Topology topology = make_topology(config);
    std::multiset<std::tuple<int, int, std::int64_t, std::int64_t, int>> links;
    for (const Link& link : topology.graph.links())
      links.insert(
          {link.from, link.to, link.wire.rate.bits_per_second(), link.wire.delay.count(), link.wire.tier});
    for (const auto& [from, to, rate, delay, tier] : links)
      EXPECT_EQ(links.count({from, to, rate, delay, tier}), links.count({to, from, rate, delay, tier}))
          << from << " to " << to;
  }
}

TEST(Shapes, TiersHaveNamesAndPortsLeadToNeighbours) {
  for_each_shape([](const Topology& topology) {
    const Graph& graph = topology.graph;
    for (int node = 0; node < graph.nodes(); ++node) {
      EXPECT_GE(graph.ports(node), 1);
      for (int port = 0; port < graph.ports(node); ++port) {
        const Link& link = graph.link(node, port);
        EXPECT_EQ(link.from, node);
        EXPECT_NE(link.to, node);
        EXPECT_LT(link.wire.tier, static_cast<int>(graph.tiers().size()));
        EXPECT_EQ(&graph.links()[static_cast<std::size_t>(graph.first_link(node) + port)], &link);
      }
    }
  });
}

TEST(Shapes, APathVisitsNoNodeTwiceAndEndsWhereItShould) {
  for_each_shape([](const Topology& topology) {
    const Graph& graph = topology.graph;
    for (int from = 0; from < graph.hosts(); ++from) {
      for (int to = 0; to < graph.hosts(); ++to) {
        if (from == to) continue;
        for (std::uint64_t entropy = 0; entropy < 4; ++entropy) {
          std::set<int> visited{from};
          int at = from;
          for (const int link : path(topology, from, to, Pick::by_hash(entropy))) {
            EXPECT_EQ(graph.links()[static_cast<std::size_t>(link)].from, at);
            at = graph.links()[static_cast<std::size_t>(link)].to;
            EXPECT_TRUE(visited.insert(at).second) << from << " to " << to << " meets " << at << " twice";
          }
          EXPECT_EQ(at, to);
        }
      }
    }
  });
}

TEST(Shapes, EveryPickTakesOneOfTheEqualPorts) {
  for_each_shape([](const Topology& topology) {
    const Graph& graph = topology.graph;
    const int to = graph.hosts() - 1;
    for (int at = 0; at < graph.nodes(); ++at) {
      if (at == to) continue;
      const std::vector<int> equal = equal_ports(topology, at, to);
      ASSERT_FALSE(equal.empty());
      EXPECT_TRUE(std::ranges::is_sorted(equal));
      EXPECT_TRUE(std::ranges::binary_search(equal, topology.routing->port(at, to, Pick::by_destination())));
      for (std::uint64_t entropy = 0; entropy < 20; ++entropy)
        EXPECT_TRUE(
            std::ranges::binary_search(equal, topology.routing->port(at, to, Pick::by_hash(entropy))));
    }
  });
}

TEST(Shapes, TheSystemsDimensionsMakeUpAllHosts) {
  for (const GraphConfig& config : shapes()) {
    const int hosts = make_topology(config).graph.hosts();
    const Hierarchy seen = system_dimensions(config, hosts);
    int product = 1;
    for (int d = 0; d < seen.dimensions(); ++d) product *= seen.dimension(d).size;
    EXPECT_EQ(product, hosts);
  }
}

TEST(Shapes, OnlySomeCanBeOversubscribed) {
  EXPECT_THROW(make_topology({.shape = StarConfig{.hosts = 4}, .oversubscription = 2}), UserError);
  EXPECT_THROW(make_topology({.shape = DragonflyConfig{}, .oversubscription = 2}), UserError);
  EXPECT_THROW(make_topology({.shape = std::filesystem::path("none.graph"), .oversubscription = 2}),
               UserError);
}

TEST(Shapes, OversubscriptionThinsTheUpperTiersByThatMuch) {
  const Graph whole = make_topology({.shape = LeafSpineConfig{}}).graph;
  const Graph thin = make_topology({.shape = LeafSpineConfig{}, .oversubscription = 4}).graph;
  for (std::size_t i = 0; i < whole.links().size(); ++i) {
    const std::int64_t before = whole.links()[i].wire.rate.bits_per_second();
    const std::int64_t after = thin.links()[i].wire.rate.bits_per_second();
    EXPECT_EQ(after, whole.links()[i].wire.tier == 0 ? before : before / 4);
  }
}

}  // namespace
}  // namespace overture::topology
