#include "overture/topology/graph_config.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

using enum DimensionKind;

// 3 in a ring, 4 in a full mesh, 2 behind a switch.
HierarchyGraphConfig mixed() {
  HierarchyGraphConfig config;
  config.dimensions = {{ring, 3}, {fully_connected, 4}, {switched, 2}};
  for (std::size_t d = 0; d < 3; ++d) config.dimensions[d].wire.delay = std::chrono::nanoseconds(d + 1);
  return config;
}

TEST(HierarchyGraph, EveryPathCorrectsOneDimensionAfterTheOther) {
  const Topology built = hierarchy_graph(mixed());
  const Hierarchy machine = hierarchy(mixed());
  ASSERT_EQ(built.graph.hosts(), 24);
  EXPECT_EQ(built.graph.nodes(), 24 + 24 + 12);
  for (int from = 0; from < 24; ++from) {
    for (int to = 0; to < 24; ++to) {
      if (from == to) continue;
      std::vector<int> tiers;
      for (const int link : path(built, from, to, Pick::by_destination()))
        tiers.push_back(built.graph.links()[static_cast<std::size_t>(link)].wire.tier);
      std::vector<int> expected{0};
      for (int d = 0; d < 3; ++d) {
        if (machine.coordinate(Rank{from}, d) == machine.coordinate(Rank{to}, d)) continue;
        for (int hop = 0; hop < machine.hops(Rank{from}, Rank{to}, d); ++hop) expected.push_back(d + 1);
      }
      expected.push_back(0);
      ASSERT_EQ(tiers, expected) << from << " to " << to;
    }
  }
}

TEST(HierarchyGraph, HasTheLinksOfEveryDimension) {
  const Topology built = hierarchy_graph(mixed());
  const auto of_tier = [&](int tier) {
    return std::ranges::count_if(built.graph.links(),
                                 [&](const Link& link) { return link.wire.tier == tier; });
  };
  EXPECT_EQ(of_tier(0), 2 * 24);
  EXPECT_EQ(of_tier(1), 2 * 24);
  EXPECT_EQ(of_tier(2), 3 * 24);
  EXPECT_EQ(of_tier(3), 2 * 24);
  EXPECT_EQ(built.graph.tiers(),
            (std::vector<std::string>{"local", "dimension 0", "dimension 1", "dimension 2"}));
}

TEST(HierarchyGraph, DimensionsOfOneAndRingsOfTwoNeedNoMoreThanTheyHave) {
  HierarchyGraphConfig config;
  config.dimensions = {{switched, 1}, {ring, 2}, {ring, 1}, {fully_connected, 1}};
  const Topology built = hierarchy_graph(config);
  EXPECT_EQ(built.graph.nodes(), 4);
  EXPECT_EQ(path(built, 0, 1, Pick::by_destination()).size(), 3U);
}

TEST(HierarchyGraph, ARingOfRingsIsATorus) {
  HierarchyGraphConfig config;
  config.dimensions = {{ring, 4}, {ring, 5}};
  const Topology ours = hierarchy_graph(config);
  const Topology theirs = torus({.sizes = {4, 5}});
  ASSERT_EQ(ours.graph.links().size(), theirs.graph.links().size());
  for (int from = 0; from < 20; ++from) {
    for (int to = 0; to < 20; ++to) {
      if (from == to) continue;
      EXPECT_EQ(path(ours, from, to, Pick::by_hash(7)), path(theirs, from, to, Pick::by_hash(7)));
    }
  }
}

TEST(HierarchyGraph, RefusesWhatItCannotBuild) {
  EXPECT_THROW(hierarchy_graph({}), UserError);
  HierarchyGraphConfig config;
  config.dimensions = {{ring, 0}};
  EXPECT_THROW(hierarchy_graph(config), UserError);
}

std::vector<std::pair<DimensionKind, int>> dimensions(const GraphConfig& config) {
  const Hierarchy machine = system_dimensions(config, make_topology(config).graph.hosts());
  std::vector<std::pair<DimensionKind, int>> found;
  for (int d = 0; d < machine.dimensions(); ++d)
    found.emplace_back(machine.dimension(d).kind, machine.dimension(d).size);
  return found;
}

TEST(GraphConfig, DeclaresTheDimensionsOfAGraph) {
  using Expected = std::vector<std::pair<DimensionKind, int>>;
  EXPECT_EQ(dimensions({.shape = TorusConfig{.sizes = {4, 2}}}), (Expected{{ring, 4}, {ring, 2}}));
  EXPECT_EQ(dimensions({.shape = FatTreeConfig{.k = 4}}), (Expected{{switched, 16}}));
  EXPECT_EQ(dimensions({.shape = mixed()}), (Expected{{ring, 3}, {fully_connected, 4}, {switched, 2}}));
  EXPECT_EQ(dimensions({.shape = FatTreeConfig{.k = 4},
                        .nodes = HierarchicalSwitchConfig{.gpus_per_node = 8, .nics_per_node = 4}}),
            (Expected{{switched, 8}, {switched, 4}}));
}

TEST(GraphConfig, ThinsWhatCanBeThinned) {
  const Topology thin = make_topology({.shape = FatTreeConfig{.k = 4}, .oversubscription = 2});
  const Topology full = make_topology({.shape = FatTreeConfig{.k = 4}});
  const auto rate = [](const Topology& t) {
    return std::ranges::min(t.graph.links(), {}, [](const Link& l) { return l.wire.rate; })
        .wire.rate.bits_per_second();
  };
  EXPECT_EQ(rate(thin) * 2, rate(full));
  EXPECT_THROW(make_topology({.shape = StarConfig{}, .oversubscription = 2}), UserError);
}

}  // namespace
}  // namespace overture::topology
