// Ports as words, and the sets of equal ways for packets that are sprayed.
#include "overture/network/packet/routes.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/network/packet/equal_paths.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using topology::Topology;

PacketConfig with_paths(topology::PathRule rule) {
  PacketConfig config;
  config.paths = rule;
  return config;
}

// The nodes that a packet visits whose ports are `word`, from `at`.
std::vector<int> walk(const Topology& topology, int at, std::uint64_t word, int bits) {
  std::vector<int> nodes{at};
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (; (word & mask) != 0; word >>= bits) {
    const int port = static_cast<int>(word & mask) - 1;
    EXPECT_LT(port, topology.graph.ports(nodes.back()));
    nodes.push_back(topology.graph.link(nodes.back(), port).to);
    if (word >> (64 - bits) == 0 && bits == 64) break;
  }
  return nodes;
}

std::vector<int> nodes_of(const Topology& topology, int from, int to, const topology::Pick& pick) {
  std::vector<int> nodes{from};
  for (const int link : path(topology, from, to, pick))
    nodes.push_back(topology.graph.links()[static_cast<std::size_t>(link)].to);
  return nodes;
}

TEST(PortBits, HoldOneMoreThanTheMostPortsOfANode) {
  EXPECT_EQ(port_bits(topology::star({.hosts = 2}).graph), 2);  // ports 1 and 2, and 0 for the end
  EXPECT_EQ(port_bits(topology::star({.hosts = 3}).graph), 2);
  EXPECT_EQ(port_bits(topology::star({.hosts = 4}).graph), 3);
  EXPECT_EQ(port_bits(topology::fat_tree({.k = 16}).graph), 5);
}

TEST(Routes, AWordIsThePathOfTheTopology) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 0);
    const Topology topology = draw_topology(random);
    for (const topology::PathRule rule :
         {topology::PathRule::by_destination, topology::PathRule::hash_per_flow}) {
      const Routes routes(topology, with_paths(rule));
      for (int trial = 0; trial < 60; ++trial) {
        const auto hosts = static_cast<std::uint64_t>(topology.graph.hosts());
        const int from = static_cast<int>(random.below(hosts));
        const int to = static_cast<int>(random.below(hosts));
        if (from == to) continue;
        const std::uint64_t entropy = random();
        const topology::Pick pick = rule == topology::PathRule::by_destination
                                        ? topology::Pick::by_destination()
                                        : topology::Pick::by_hash(entropy);
        ASSERT_EQ(walk(topology, from, routes.word(from, to, entropy), routes.bits()),
                  nodes_of(topology, from, to, pick))
            << "seed " << seed;
      }
    }
  }
}

// 40 hops on a ring of routers with three ports: two bits each, 32 of them in a word.
TEST(Routes, ALongWayIsTakenUpWhereTheWordEnds) {
  const Topology ring = topology::torus({.sizes = {80}});
  const Routes routes(ring, with_paths(topology::PathRule::by_destination));
  EXPECT_EQ(routes.bits(), 2);
  int at = 0;
  int words = 0;
  for (; at != 40; ++words) {
    std::uint64_t word = routes.word(at, 40, 0);
    for (int i = 0; i < 32 && (word & 3) != 0; ++i, word >>= 2)
      at = ring.graph.link(at, static_cast<int>(word & 3) - 1).to;
  }
  EXPECT_EQ(words, 2);
}

TEST(Routes, AFlowKeepsItsWayAndTheNextOneOfThePairHasAnother) {
  const Topology tree = topology::fat_tree({.k = 8});
  Routes routes(tree, with_paths(topology::PathRule::hash_per_flow));
  EXPECT_FALSE(routes.per_packet());
  std::set<std::uint64_t> words;
  for (int flow = 0; flow < 100; ++flow) words.insert(routes.word(0, 127, routes.new_flow(0, 127)));
  EXPECT_EQ(words.size(), 16U) << "all sixteen cores";
  EXPECT_EQ(routes.only_flow(0, 127), routes.only_flow(0, 127));
}

TEST(Routes, WhereNobodyHashesThereIsNoEntropy) {
  const Topology tree = topology::fat_tree({.k = 4});
  Routes routes(tree, with_paths(topology::PathRule::by_destination));
  EXPECT_EQ(routes.new_flow(0, 15), 0U);
  EXPECT_EQ(routes.new_flow(0, 15), 0U);
}

TEST(Routes, OfSeveralEntropiesAPacketHasOneOfTheFlows) {
  const Topology tree = topology::fat_tree({.k = 8});
  PacketConfig config = with_paths(topology::PathRule::hash_per_flow);
  config.entropies = 4;
  Routes routes(tree, config);
  EXPECT_TRUE(routes.per_packet());
  std::map<std::uint64_t, int> count;
  for (int packet = 0; packet < 4000; ++packet) ++count[routes.packet_entropy(0, 127)];
  ASSERT_EQ(count.size(), 4U);
  for (const auto& [entropy, packets] : count) EXPECT_NEAR(packets, 1000, 150);
}

TEST(Routes, WhatANodeDrawsDoesNotDependOnOthers) {
  const Topology star = topology::star({.hosts = 4});
  Routes alone(star, with_paths(topology::PathRule::spray));
  Routes together(star, with_paths(topology::PathRule::spray));
  for (int i = 0; i < 20; ++i) {
    (void)together.draw(1);
    EXPECT_EQ(alone.draw(2), together.draw(2));
  }
}

TEST(Routes, ASeedOfItsOwnGivesOtherWays) {
  const Topology tree = topology::fat_tree({.k = 8});
  PacketConfig config = with_paths(topology::PathRule::hash_per_flow);
  const auto words = [&](std::uint64_t seed) {
    config.seed = seed;
    Routes routes(tree, config);
    std::vector<std::uint64_t> all;
    for (int to = 64; to < 96; ++to) all.push_back(routes.word(0, to, routes.only_flow(0, to)));
    return all;
  };
  EXPECT_EQ(words(1), words(1));
  EXPECT_NE(words(1), words(2));
}

// ---- equal ways

// The switches that the rest of a word leads through, after the first host's port.
std::vector<int> way(const Topology& topology, const Routes& routes, const Spread& spread, int from,
                     std::uint64_t word) {
  return walk(topology, topology.graph.link(from, static_cast<int>(spread.port)).to, word, routes.bits());
}

TEST(EqualPaths, EachWayIsTakenOnceBeforeAnyIsTakenAgain) {
  const Topology tree = topology::fat_tree({.k = 8});
  Routes routes(tree, with_paths(topology::PathRule::spray));
  EqualPaths ways(tree, routes);
  Spread spread = ways.spread(0, 127);
  for (int round = 0; round < 10; ++round) {
    std::set<std::vector<int>> taken;
    for (int packet = 0; packet < 16; ++packet)
      taken.insert(way(tree, routes, spread, 0, ways.next(spread, 0, 127)));
    EXPECT_EQ(taken.size(), 16U) << "one per core in round " << round;
    for (const std::vector<int>& nodes : taken) {
      EXPECT_EQ(nodes.back(), 127);
      EXPECT_EQ(nodes.size(), 6U);
    }
  }
}

TEST(EqualPaths, EveryWayIsAPathThatSomePickTakes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 3);
    const Topology topology = draw_topology(random);
    Routes routes(topology, with_paths(topology::PathRule::spray));
    EqualPaths ways(topology, routes);
    for (int trial = 0; trial < 20; ++trial) {
      const auto hosts = static_cast<std::uint64_t>(topology.graph.hosts());
      const int from = static_cast<int>(random.below(hosts));
      const int to = static_cast<int>(random.below(hosts));
      if (from == to) continue;
      Spread spread = ways.spread(from, to);
      for (int packet = 0; packet < 8; ++packet) {
        const std::vector<int> nodes = way(topology, routes, spread, from, ways.next(spread, from, to));
        ASSERT_EQ(nodes.back(), to) << "seed " << seed;
        for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
          const std::vector<int> ports = equal_ports(topology, nodes[i], to);
          EXPECT_TRUE(std::ranges::any_of(
              ports, [&](int port) { return topology.graph.link(nodes[i], port).to == nodes[i + 1]; }));
        }
      }
    }
  }
}

TEST(EqualPaths, BelowOneSwitchThereIsOneWay) {
  const Topology tree = topology::fat_tree({.k = 8});
  Routes routes(tree, with_paths(topology::PathRule::spray));
  EqualPaths ways(tree, routes);
  Spread spread = ways.spread(0, 1);
  for (int packet = 0; packet < 5; ++packet)
    EXPECT_EQ(way(tree, routes, spread, 0, ways.next(spread, 0, 1)), (std::vector{128, 1}));
}

TEST(EqualPaths, HostsOfTheSameTwoSwitchesShareASet) {
  const Topology tree = topology::fat_tree({.k = 8});
  Routes routes(tree, with_paths(topology::PathRule::spray));
  EqualPaths ways(tree, routes);
  const std::uint32_t set = ways.spread(0, 127).set;
  const std::size_t memory = ways.memory();
  EXPECT_EQ(ways.spread(3, 124).set, set);
  EXPECT_EQ(ways.memory(), memory);
  EXPECT_NE(ways.spread(4, 127).set, set) << "below another edge switch";
}

// Two nodes of four GPUs and two NICs each: GPUs 0 to 7, node switches 8 and 9, NICs 10 to 13.
TEST(EqualPaths, NicsOfAMachineServeTheirOwnGpus) {
  const Topology machines =
      topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2}, topology::star({.hosts = 4}));
  Routes routes(machines, with_paths(topology::PathRule::spray));
  EqualPaths ways(machines, routes);
  for (int to = 4; to < 8; ++to) {
    Spread spread = ways.spread(0, to);
    for (int packet = 0; packet < 4; ++packet) {
      const std::vector<int> nodes = way(machines, routes, spread, 0, ways.next(spread, 0, to));
      EXPECT_EQ(nodes[nodes.size() - 3], 12 + to % 2) << "to GPU " << to;
      EXPECT_EQ(nodes.back(), to);
    }
  }
}

// What csg-htsim's hosts do with `-strat ecmp_host -paths n`.
TEST(EqualPaths, EachHashOfAFlowIsTakenOnceBeforeAnyIsTakenAgain) {
  const Topology wide = topology::leaf_spine({.leaves = 2, .hosts_per_leaf = 2, .spines = 200});
  for (const int hashes : {2, 3, 64, 65, 200}) {
    PacketConfig config = with_paths(topology::PathRule::hash_per_flow);
    config.entropies = hashes;
    Routes routes(wide, config);
    EqualPaths ways(wide, routes);
    Spread spread = ways.spread(0, 3);
    std::vector<std::vector<std::uint64_t>> rounds(4);
    for (auto& round : rounds) {
      for (int packet = 0; packet < hashes; ++packet) round.push_back(ways.next(spread, 0, 3));
      std::ranges::sort(round);
    }
    EXPECT_EQ(rounds[0], rounds[1]) << hashes;
    EXPECT_EQ(rounds[0], rounds[3]) << hashes;
    EXPECT_GT(rounds[0].back(), rounds[0].front()) << "not all on one spine";
  }
}

TEST(EqualPaths, EveryFlowHasHashesOfItsOwn) {
  const Topology wide = topology::leaf_spine({.leaves = 2, .hosts_per_leaf = 2, .spines = 200});
  PacketConfig config = with_paths(topology::PathRule::hash_per_flow);
  config.entropies = 2;
  Routes routes(wide, config);
  EqualPaths ways(wide, routes);
  std::set<std::uint64_t> words;
  for (int flow = 0; flow < 20; ++flow) {
    Spread spread = ways.spread(0, 3);
    for (int packet = 0; packet < 2; ++packet) words.insert(ways.next(spread, 0, 3));
  }
  EXPECT_GT(words.size(), 30U);
}

TEST(EqualPaths, OfMoreThan64WaysEveryPacketDrawsOne) {
  const Topology wide = topology::leaf_spine({.leaves = 2, .hosts_per_leaf = 1, .spines = 100});
  Routes routes(wide, with_paths(topology::PathRule::spray));
  EqualPaths ways(wide, routes);
  Spread spread = ways.spread(0, 1);
  std::set<std::vector<int>> taken;
  for (int packet = 0; packet < 2000; ++packet) {
    taken.insert(way(wide, routes, spread, 0, ways.next(spread, 0, 1)));
    EXPECT_EQ(taken.rbegin()->back(), 1);
  }
  EXPECT_EQ(taken.size(), 100U);
}

TEST(EqualPaths, WithAWayPerFlowAllPacketsTakeTheSame) {
  const Topology tree = topology::fat_tree({.k = 8});
  Routes routes(tree, with_paths(topology::PathRule::hash_per_flow));
  EqualPaths ways(tree, routes);
  std::set<std::uint64_t> flows;
  for (int flow = 0; flow < 50; ++flow) {
    Spread spread = ways.spread(0, 127);
    const std::uint64_t first = ways.next(spread, 0, 127);
    for (int packet = 0; packet < 5; ++packet) EXPECT_EQ(ways.next(spread, 0, 127), first);
    flows.insert(first);
  }
  EXPECT_GT(flows.size(), 8U);
}

}  // namespace
}  // namespace overture::network::packet
