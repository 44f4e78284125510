// What holds for every topology, and what each one promises.
#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/graph_file.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/shortest_path.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::topology {
namespace {

using namespace literals;

std::vector<std::pair<std::string, Topology>> examples() {
  std::vector<std::pair<std::string, Topology>> all;
  all.emplace_back("star", star({.hosts = 9}));
  all.emplace_back("leaf-spine", leaf_spine({.leaves = 3, .hosts_per_leaf = 5, .spines = 2}));
  all.emplace_back("fat tree", fat_tree({.k = 4}));
  all.emplace_back("fat tree 3:1", fat_tree({.k = 4, .hosts_per_edge = 6}));
  all.emplace_back("torus 4x3", torus({.sizes = {4, 3}}));
  all.emplace_back("torus 4x2x3", torus({.sizes = {4, 2, 3}}));
  all.emplace_back("torus 4x3, 2 and 3 rings", torus({.sizes = {4, 3}, .rings = {2, 3}}));
  all.emplace_back("torus 2x2x2x2", torus({.sizes = {2, 2, 2, 2}}));
  all.emplace_back("NIC per GPU",
                   hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 4}, star({.hosts = 12})));
  all.emplace_back("NIC per node",
                   hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 1}, fat_tree({.k = 4})));
  all.emplace_back("two NICs",
                   hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2}, star({.hosts = 6})));
  all.emplace_back("file",
                   parse_graph("hosts 3\nswitches 2\nlink h0 s0 1 Gbps 1 us\nlink h1 s1 1Gbps 1us\n"
                               "link h2 s1 1 Gbps 1 us\nlink s0 s1 1 Gbps 1 us\nlink s0 s1 1 Gbps 1 us\n",
                               "test"));
  return all;
}

TEST(Topology, EveryHostReachesEveryOtherByAShortestPathWhateverThePick) {
  for (const auto& [name, topology] : examples()) {
    const ShortestPathRouting shortest(topology.graph);
    const int hosts = topology.graph.hosts();
    for (int from = 0; from < hosts; ++from) {
      for (int to = 0; to < hosts; ++to) {
        for (const Pick& pick : {Pick::by_destination(), Pick::by_hash(1), Pick::by_hash(77)}) {
          std::size_t hops = 0;
          for (int at = from; at != to; ++hops) at = topology.graph.link(at, shortest.port(at, to, pick)).to;
          const auto ours = path(topology, from, to, pick).size();
          // Leaving through the NIC of the destination's number may take a switch more than the shortest way.
          EXPECT_LE(ours, hops + (name == "two NICs" ? 2 : 0)) << name << " from " << from << " to " << to;
        }
      }
    }
  }
}

TEST(FatTree, ByDestinationFollowsTheGoldenRule) {
  const Topology tree =
      fat_tree({.k = 4});  // edges are nodes 16 to 23, aggregations 24 to 31, cores 32 to 35
  const auto nodes = [&](int from, int to) {
    std::vector<int> visited;
    for (const int link : path(tree, from, to, Pick::by_destination()))
      visited.push_back(tree.graph.links()[link].to);
    return visited;
  };
  EXPECT_EQ(nodes(0, 1), (std::vector{16, 1}));
  EXPECT_EQ(nodes(0, 3), (std::vector{16, 25, 17, 3}));            // 3 mod 2: aggregation 1 of pod 0
  EXPECT_EQ(nodes(0, 15), (std::vector{16, 25, 35, 31, 23, 15}));  // its core number (15 / 2) mod 2 = 1
  EXPECT_EQ(nodes(15, 4), (std::vector{23, 30, 32, 26, 18, 4}));
}

TEST(FatTree, HashingSpreadsFlowsOverAllCores) {
  const Topology tree = fat_tree({.k = 8});
  std::set<int> cores;
  for (std::uint64_t flow = 0; flow < 400; ++flow) {
    cores.insert(tree.graph.links()[path(tree, 0, 127, Pick::by_hash(flow))[2]].to);
  }
  EXPECT_EQ(cores.size(), 16);
}

TEST(FatTree, OversubscriptionThinsTheUpperTiers) {
  EXPECT_DOUBLE_EQ(oversubscription(FatTreeConfig{.k = 8}), 1);
  EXPECT_DOUBLE_EQ(oversubscription(FatTreeConfig{.k = 8, .hosts_per_edge = 12}), 3);
  const FatTreeConfig thin = oversubscribed(FatTreeConfig{.k = 8}, 4);
  EXPECT_EQ(thin.core.rate, 25_Gbps);
  EXPECT_DOUBLE_EQ(oversubscription(thin), 4);
  EXPECT_DOUBLE_EQ(oversubscription(oversubscribed(LeafSpineConfig{.hosts_per_leaf = 8, .spines = 4}, 2.5)),
                   2.5);
}

TEST(Torus, GoesDimensionByDimensionTheShorterWay) {
  const Topology grid = torus({.sizes = {4, 4}});
  std::vector<int> routers;
  for (const int link : path(grid, 0, 7, Pick::by_destination()))
    routers.push_back(grid.graph.links()[link].to);
  EXPECT_EQ(routers, (std::vector{16, 19, 23, 7}));  // 0 to 3 downwards in dimension 0, then up to 7
}

// At every edge switch, however many paths there are: towards a host below, one; towards any other, all
// uplinks.
TEST(FatTree, TellsAllEqualPorts) {
  for (const int k : {4, 24, 64}) {
    const Topology tree = fat_tree({.k = k});
    const int hosts = tree.graph.hosts();
    for (int edge = hosts; edge < hosts + k * k / 2; ++edge) {
      const int below = (edge - hosts) * (k / 2);
      EXPECT_EQ(equal_ports(tree, edge, below).size(), 1) << k;
      const std::vector<int> up = equal_ports(tree, edge, (below + hosts / 2) % hosts);
      ASSERT_EQ(up.size(), k / 2) << "k " << k << " edge switch " << edge;
      EXPECT_EQ(std::ranges::adjacent_find(up, std::greater_equal{}), up.end());
    }
  }
}

TEST(Torus, RingsSideBySideShareTheDestinations) {
  const Topology ring = torus({.sizes = {5}, .rings = {2}});
  const Topology single = torus({.sizes = {5}});
  EXPECT_EQ(ring.graph.ports(5), 1 + 4);
  for (int to = 1; to < 5; ++to) {
    const int port = ring.routing->port(5, to, Pick::by_destination());
    const int alone = single.routing->port(5, to, Pick::by_destination());
    EXPECT_EQ(ring.graph.link(5, port).to, single.graph.link(5, alone).to);
    EXPECT_EQ((port - 1) % 2, to % 2);
  }
  const Topology pair = torus({.sizes = {2}, .rings = {3}});
  EXPECT_EQ(pair.graph.ports(2), 1 + 3);  // both ways round are one cable
}

TEST(Torus, TellsBothWaysRoundARing) {
  const Topology grid = torus({.sizes = {4, 4}});
  EXPECT_EQ(equal_ports(grid, 16, 2).size(), 2);  // two steps either way
  EXPECT_EQ(equal_ports(grid, 16, 1).size(), 1);
}

TEST(GraphFile, SaysWhereAndWhatIsWrong) {
  const auto error = [](const char* text) -> std::string {
    try {
      parse_graph(text, "net.txt");
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("hosts 2\nlnk h0 h1 1 Gbps 1 us").find("net.txt:2: unknown word \"lnk\""),
            std::string::npos);
  EXPECT_NE(error("hosts 2\nlink h0 h5 1 Gbps 1 us").find("unknown node \"h5\""), std::string::npos);
  EXPECT_NE(error("hosts 2\nlink h0 h1 100 1 us").find("net.txt:2"), std::string::npos);
  EXPECT_NE(error("hosts 2\nlink h0 h1 0 Gbps 1 us").find("no rate"), std::string::npos);
  EXPECT_NE(error("hosts 2\n").find("disconnected"), std::string::npos);
  EXPECT_NE(error("").find("no hosts"), std::string::npos);
}

TEST(Graph, RefusesWhatCannotWork) {
  EXPECT_THROW(star({.hosts = 2, .wire = {.rate = 0_Gbps}}), UserError);
  EXPECT_THROW(star({.hosts = 0}), UserError);
  EXPECT_THROW(fat_tree({.k = 5}), UserError);
  EXPECT_THROW(torus({.sizes = {4, 0}}), UserError);
  EXPECT_THROW(torus({.sizes = {4, 4}, .rings = {2}}), UserError);
  EXPECT_THROW(torus({.sizes = {4, 4}, .rings = {2, 0}}), UserError);
  EXPECT_THROW(torus({.sizes = {10000, 10000}}), UserError);
  EXPECT_THROW(hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 3}, star({.hosts = 8})), UserError);
}

}  // namespace
}  // namespace overture::topology
