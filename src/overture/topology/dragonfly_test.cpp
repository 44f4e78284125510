#include "overture/topology/dragonfly.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

const DragonflyConfig kExamples[]{{},  // balanced: 9 groups, one cable between every two
                                  {.groups = 3, .routers = 4, .hosts_per_router = 2, .global_links = 2},
                                  {.groups = 4, .routers = 3, .hosts_per_router = 1, .global_links = 3},
                                  {.groups = 1, .routers = 5, .hosts_per_router = 3, .global_links = 0},
                                  {.groups = 2, .routers = 1, .hosts_per_router = 4, .global_links = 1},
                                  {.groups = 7, .routers = 2, .hosts_per_router = 1, .global_links = 3}};

TEST(Dragonfly, APacketTakesAtMostOneGlobalCableAndOneLocalOneOnEitherSide) {
  for (const DragonflyConfig& config : kExamples) {
    const Topology topology = dragonfly(config);
    const int hosts = topology.graph.hosts();
    const int per_group = config.routers * config.hosts_per_router;
    for (int from = 0; from < hosts; ++from) {
      for (int to = 0; to < hosts; ++to) {
        if (from == to) continue;
        for (const Pick& pick : {Pick::by_destination(), Pick::by_hash(1), Pick::by_hash(77)}) {
          std::string tiers;
          for (const int link : path(topology, from, to, pick))
            tiers += "hlg"[topology.graph.links()[link].wire.tier];
          const std::set<std::string> inside{"hh", "hlh"};
          const std::set<std::string> across{"hgh", "hlgh", "hglh", "hlglh"};
          EXPECT_TRUE((from / per_group == to / per_group ? inside : across).contains(tiers)) << tiers;
        }
      }
    }
  }
}

TEST(Dragonfly, EveryTwoGroupsShareEquallyManyCablesAndNoRouterHasTooMany) {
  for (const DragonflyConfig& config : kExamples) {
    const Graph graph = dragonfly(config).graph;
    const auto group = [&](int node) { return (node - graph.hosts()) / config.routers; };
    std::map<std::pair<int, int>, int> cables;
    for (int node = graph.hosts(); node < graph.nodes(); ++node) {
      const auto links = graph.links_of(node);
      EXPECT_LE(std::ranges::count(links, 2, [](const Link& link) { return link.wire.tier; }),
                config.global_links);
      for (const Link& link : links) {
        if (link.wire.tier == 2) ++cables[{group(link.from), group(link.to)}];
      }
    }
    EXPECT_EQ(cables.size(), config.groups * (config.groups - 1));
    for (const auto& [pair, count] : cables)
      EXPECT_EQ(count, config.routers * config.global_links / (config.groups - 1));
  }
}

TEST(Dragonfly, ByHashFlowsUseAllCablesBetweenTwoGroups) {
  const Topology topology = dragonfly({.groups = 2, .routers = 4, .hosts_per_router = 2, .global_links = 2});
  std::set<int> used;
  for (std::uint64_t flow = 0; flow < 400; ++flow) {
    for (const int link :
         path(topology, static_cast<int>(flow % 8), 8 + static_cast<int>(flow / 8 % 8), Pick::by_hash(flow)))
      if (topology.graph.links()[link].wire.tier == 2) used.insert(link);
  }
  EXPECT_EQ(used.size(), 8);
}

TEST(Dragonfly, RefusesWhatCannotBeWired) {
  EXPECT_THROW(dragonfly({.groups = 10, .routers = 4, .global_links = 2}), UserError);
  EXPECT_THROW(dragonfly({.groups = 2, .global_links = 0}), UserError);
  EXPECT_THROW(dragonfly({.groups = 0}), UserError);
  EXPECT_THROW(
      dragonfly({.groups = 1'000'000, .routers = 1000, .hosts_per_router = 1000, .global_links = 1000}),
      UserError);
}

}  // namespace
}  // namespace overture::topology
