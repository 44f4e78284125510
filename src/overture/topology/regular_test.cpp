// Regular networks, counted: how many switches and links, how long paths are, who is wired to whom.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::topology {
namespace {

using namespace literals;

std::vector<int> nodes_of(const Topology& topology, int from, int to,
                          const Pick& pick = Pick::by_destination()) {
  std::vector<int> visited{from};
  for (const int link : path(topology, from, to, pick))
    visited.push_back(topology.graph.links()[static_cast<std::size_t>(link)].to);
  return visited;
}

std::map<int, int> links_by_tier(const Graph& graph) {
  std::map<int, int> count;
  for (const Link& link : graph.links()) ++count[link.wire.tier];
  return count;
}

TEST(Star, EveryPathIsUpAndDown) {
  const Topology four = star({.hosts = 4});
  EXPECT_EQ(four.graph.links().size(), 8U);
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from != to) {
        EXPECT_EQ(nodes_of(four, from, to), (std::vector{from, 4, to}));
      }
    }
  }
}

TEST(Star, OfOneHostIsASwitchWithAHost) {
  const Topology alone = star({.hosts = 1});
  EXPECT_EQ(alone.graph.nodes(), 2);
  EXPECT_TRUE(path(alone, 0, 0, Pick::by_destination()).empty());
}

TEST(Star, IsRefusedWhenItDoesNotFit) {
  EXPECT_NE(user_error([] { star({.hosts = 20'000'000}); }).find("a star with 20000000 cables"),
            std::string::npos);
}

TEST(LeafSpine, HasACableFromEveryLeafToEverySpine) {
  const Topology network = leaf_spine({.leaves = 3, .hosts_per_leaf = 4, .spines = 2});
  EXPECT_EQ(network.graph.hosts(), 12);
  EXPECT_EQ(network.graph.nodes(), 12 + 3 + 2);
  EXPECT_EQ(links_by_tier(network.graph), (std::map<int, int>{{0, 2 * 12}, {1, 2 * 3 * 2}}));
  for (int leaf = 12; leaf < 15; ++leaf) EXPECT_EQ(network.graph.ports(leaf), 4 + 2);
  for (int spine = 15; spine < 17; ++spine) EXPECT_EQ(network.graph.ports(spine), 3);
}

TEST(LeafSpine, ByDestinationGoesOverSpineDestinationModuloSpines) {
  const Topology network = leaf_spine({.leaves = 3, .hosts_per_leaf = 4, .spines = 2});
  EXPECT_EQ(nodes_of(network, 0, 3), (std::vector{0, 12, 3})) << "below the same leaf";
  EXPECT_EQ(nodes_of(network, 0, 4), (std::vector{0, 12, 15, 13, 4}));
  EXPECT_EQ(nodes_of(network, 0, 5), (std::vector{0, 12, 16, 13, 5}));
  EXPECT_EQ(nodes_of(network, 11, 2), (std::vector{11, 14, 15, 12, 2}));
}

TEST(LeafSpine, OnRailsEqualGpusOfAllNodesShareALeaf) {
  const LeafSpineConfig config{.leaves = 4, .hosts_per_leaf = 3, .spines = 2, .rails = true};
  EXPECT_EQ(leaf_of(config, 6), 2);
  const Topology network = leaf_spine(config);
  EXPECT_EQ(nodes_of(network, 2, 6), (std::vector{2, 14, 6}));
  EXPECT_EQ(nodes_of(network, 2, 10), (std::vector{2, 14, 10}));
  EXPECT_EQ(nodes_of(network, 2, 3).size(), 5U) << "the neighbour in the node is on another rail";
}

TEST(LeafSpine, ByHashEverySpineIsUsed) {
  const Topology network = leaf_spine({.leaves = 2, .hosts_per_leaf = 1, .spines = 8});
  std::set<int> spines;
  for (std::uint64_t entropy = 0; entropy < 200; ++entropy)
    spines.insert(nodes_of(network, 0, 1, Pick::by_hash(entropy))[2]);
  EXPECT_EQ(spines.size(), 8U);
}

TEST(LeafSpine, FullBisectionIsAsMuchUpAsDown) {
  EXPECT_DOUBLE_EQ(oversubscription(LeafSpineConfig{.hosts_per_leaf = 4, .spines = 4}), 1);
  EXPECT_DOUBLE_EQ(oversubscription(LeafSpineConfig{.hosts_per_leaf = 12, .spines = 4}), 3);
  EXPECT_EQ(oversubscribed(LeafSpineConfig{.hosts_per_leaf = 8, .spines = 4}, 2).spine.rate, 100_Gbps);
  EXPECT_EQ(oversubscribed(LeafSpineConfig{.hosts_per_leaf = 4, .spines = 4}, 0.5).spine.rate, 200_Gbps);
  EXPECT_NE(user_error([] { oversubscribed(LeafSpineConfig{}, 0); }), "");
}

TEST(LeafSpine, NeedsOneOfEachKind) {
  for (const LeafSpineConfig& config :
       {LeafSpineConfig{.leaves = 0}, LeafSpineConfig{.hosts_per_leaf = 0}, LeafSpineConfig{.spines = 0}})
    EXPECT_NE(user_error([&] { leaf_spine(config); }).find("at least one leaf"), std::string::npos);
}

TEST(FatTree, HasTheSizesOfThePaper) {
  for (const int k : {2, 4, 6, 8}) {
    const Topology tree = fat_tree({.k = k});
    const int hosts = k * k * k / 4;
    EXPECT_EQ(tree.graph.hosts(), hosts);
    EXPECT_EQ(tree.graph.nodes() - hosts, 5 * k * k / 4) << "k^2/2 edges, k^2/2 aggregations, k^2/4 cores";
    for (const auto& [tier, links] : links_by_tier(tree.graph))
      EXPECT_EQ(links, 2 * hosts) << "tier " << tier;
    for (int node = hosts; node < tree.graph.nodes(); ++node) EXPECT_EQ(tree.graph.ports(node), k);
  }
}

TEST(FatTree, EveryCoreReachesEveryPodOnce) {
  const int k = 6;
  const Topology tree = fat_tree({.k = k});
  const int first_aggregation = tree.graph.hosts() + k * k / 2;
  for (int core = first_aggregation + k * k / 2; core < tree.graph.nodes(); ++core) {
    std::set<int> pods;
    for (const Link& link : tree.graph.links_of(core)) pods.insert((link.to - first_aggregation) / (k / 2));
    EXPECT_EQ(static_cast<int>(pods.size()), k);
  }
}

TEST(FatTree, PathsHaveTwoFourOrSixLinks) {
  const int k = 6;
  const Topology tree = fat_tree({.k = k});
  for (int from = 0; from < tree.graph.hosts(); from += 5) {
    for (int to = 0; to < tree.graph.hosts(); ++to) {
      if (from == to) continue;
      const bool edge = from / (k / 2) == to / (k / 2);
      const bool pod = from / (k * k / 4) == to / (k * k / 4);
      EXPECT_EQ(nodes_of(tree, from, to).size() - 1, edge ? 2U : pod ? 4U : 6U);
    }
  }
}

TEST(FatTree, ByDestinationEveryHostOfAPodIsReachedOverACoreOfItsOwn) {
  for (const int k : {4, 8}) {
    const Topology tree = fat_tree({.k = k});
    const int of_pod = k * k / 4;
    std::set<int> cores;
    for (int to = of_pod; to < 2 * of_pod; ++to) cores.insert(nodes_of(tree, 0, to)[3]);
    EXPECT_EQ(static_cast<int>(cores.size()), of_pod);
  }
}

TEST(FatTree, ByDestinationAllSendersOfAPacketMeetAtItsCore) {
  const Topology tree = fat_tree({.k = 4});
  std::set<int> cores;
  for (int from = 0; from < 12; ++from) cores.insert(nodes_of(tree, from, 13)[3]);
  EXPECT_EQ(cores.size(), 1U);
}

TEST(FatTree, RefusesWhatIsNone) {
  EXPECT_NE(user_error([] { fat_tree({.k = 0}); }).find("not 0"), std::string::npos);
  EXPECT_NE(user_error([] { fat_tree({.k = 130}); }).find("2 to 128"), std::string::npos);
  EXPECT_NE(user_error([] { fat_tree({.k = 4, .hosts_per_edge = -1}); }).find("negative"), std::string::npos);
  EXPECT_NE(user_error([] { oversubscribed(FatTreeConfig{}, -2); }), "");
}

struct Size {
  std::vector<int> sizes;
  std::vector<int> rings;
};
const Size kTori[]{{{5}, {}},    {{2}, {}},       {{4, 3}, {}},     {{3, 4, 5}, {}},
                   {{1, 6}, {}}, {{2, 2, 2}, {}}, {{4, 4}, {2, 1}}, {{6, 2}, {3, 2}}};

// Along every dimension the shorter way round, whatever decides ties.
TEST(Torus, ADistanceIsTheSumOfTheShorterWays) {
  for (const Size& size : kTori) {
    const Topology grid = torus({.sizes = size.sizes, .rings = size.rings});
    const int hosts = grid.graph.hosts();
    for (int from = 0; from < hosts; ++from) {
      for (int to = 0; to < hosts; ++to) {
        if (from == to) continue;
        std::size_t expected = 2;
        int stride = 1;
        for (const int along : size.sizes) {
          const int apart = std::abs(from / stride % along - to / stride % along);
          expected += static_cast<std::size_t>(std::min(apart, along - apart));
          stride *= along;
        }
        ASSERT_EQ(path(grid, from, to, Pick::by_destination()).size(), expected) << from << " to " << to;
        ASSERT_EQ(path(grid, from, to, Pick::by_hash(static_cast<std::uint64_t>(from))).size(), expected);
      }
    }
  }
}

TEST(Torus, ARouterHasTwoCablesPerRingAndOneWhereTwoHostsMakeIt) {
  for (const Size& size : kTori) {
    const Topology grid = torus({.sizes = size.sizes, .rings = size.rings});
    int ports = 1;
    for (std::size_t d = 0; d < size.sizes.size(); ++d) {
      const int rings = size.rings.empty() ? 1 : size.rings[d];
      ports += rings * (size.sizes[d] == 1 ? 0 : size.sizes[d] == 2 ? 1 : 2);
    }
    for (int node = grid.graph.hosts(); node < grid.graph.nodes(); ++node)
      EXPECT_EQ(grid.graph.ports(node), ports);
  }
}

TEST(Torus, HalfWayRoundTheHashDecides) {
  const Topology ring = torus({.sizes = {6}});
  std::set<int> first;
  for (std::uint64_t entropy = 0; entropy < 50; ++entropy)
    first.insert(nodes_of(ring, 0, 3, Pick::by_hash(entropy))[2]);
  EXPECT_EQ(first, (std::set{6 + 1, 6 + 5}));
  EXPECT_EQ(nodes_of(ring, 0, 3), (std::vector{0, 6, 7, 8, 9, 3})) << "by destination upwards";
}

TEST(Torus, SprayedPacketsUseAllRingsSideBySide) {
  const Topology ring = torus({.sizes = {5}, .rings = {4}});
  std::set<int> used;
  for (std::uint64_t entropy = 0; entropy < 200; ++entropy)
    used.insert(path(ring, 0, 1, Pick::by_hash(entropy))[1]);
  EXPECT_EQ(used.size(), 4U);
  EXPECT_EQ(equal_ports(ring, 5, 1), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(equal_ports(ring, 5, 4), (std::vector{5, 6, 7, 8})) << "downwards";
}

TEST(Torus, SaysWhatIsWrongWithItsRings) {
  EXPECT_NE(user_error([] {
              torus({.sizes = {4, 4}, .rings = {2}});
            }).find("names 1 dimensions, but sizes 2"),
            std::string::npos);
  EXPECT_NE(user_error([] { torus({.sizes = {4}, .rings = {17}}); }).find("1 to 16"), std::string::npos);
  EXPECT_NE(user_error([] { torus({.sizes = {0}}); }).find("at least one host"), std::string::npos);
  EXPECT_NE(user_error([] { torus({.sizes = {}}); }).find("sizes: is empty"), std::string::npos);
}

// Two nodes of four GPUs, two NICs each, on a star: GPUs 0 to 7, node switches 8 and 9, NICs 10 to 13,
// hub 14.
TEST(HierarchicalSwitch, FewNicsHangOnTheNodesSwitchAndServeAll) {
  const Topology machines = hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2}, star({.hosts = 4}));
  EXPECT_EQ(machines.graph.hosts(), 8);
  EXPECT_EQ(nodes_of(machines, 0, 3), (std::vector{0, 8, 3}));
  EXPECT_EQ(nodes_of(machines, 0, 4), (std::vector{0, 8, 10, 14, 12, 9, 4}));
  EXPECT_EQ(nodes_of(machines, 0, 5), (std::vector{0, 8, 11, 14, 13, 9, 5})) << "odd GPUs over odd NICs";
  EXPECT_TRUE(machines.graph.is_inside_machine(13));
  EXPECT_FALSE(machines.graph.is_inside_machine(14));
}

TEST(HierarchicalSwitch, ANicPerGpuIsItsOwn) {
  const Topology machines = hierarchical_switch({.gpus_per_node = 2, .nics_per_node = 2}, star({.hosts = 4}));
  // GPUs 0 to 3, node switches 4 and 5, NICs 6 to 9, hub 10.
  EXPECT_EQ(nodes_of(machines, 0, 1), (std::vector{0, 4, 1})) << "inside the node no NIC";
  EXPECT_EQ(nodes_of(machines, 0, 3), (std::vector{0, 6, 10, 9, 3}));
  EXPECT_EQ(machines.graph.tiers(), (std::vector<std::string>{"inside", "pcie", "host"}));
}

TEST(HierarchicalSwitch, KeepsTheWiresOfWhatIsBetweenTheNics) {
  const Topology machines =
      hierarchical_switch({.gpus_per_node = 2, .nics_per_node = 1},
                          leaf_spine({.leaves = 2,
                                      .hosts_per_leaf = 2,
                                      .spines = 1,
                                      .spine = {.rate = 7_Gbps, .delay = 3us, .tier = 1}}));
  EXPECT_EQ(links_by_tier(machines.graph), (std::map<int, int>{{0, 16}, {1, 8}, {2, 8}, {3, 4}}));
  for (const Link& link : machines.graph.links()) {
    if (link.wire.tier == 3) {
      EXPECT_EQ(link.wire.rate, 7_Gbps);
    }
  }
}

TEST(HierarchicalSwitch, RefusesNicsThatDoNotFit) {
  const auto error = [](int gpus, int nics, int hosts) {
    return user_error(
        [=] { hierarchical_switch({.gpus_per_node = gpus, .nics_per_node = nics}, star({.hosts = hosts})); });
  };
  EXPECT_NE(error(0, 0, 4).find("from one NIC to one per GPU"), std::string::npos);
  EXPECT_NE(error(2, 3, 6).find("from one NIC to one per GPU"), std::string::npos);
  EXPECT_NE(error(4, 3, 4).find("4 hosts, which 3 NICs per node do not divide"), std::string::npos);
}

}  // namespace
}  // namespace overture::topology
