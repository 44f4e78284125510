// The static rivals of Opera: the random expander and direct connections along rings.
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing.h"
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

TEST(Expander, HostsAreOnTheirToRs) {
  const Topology topology = expander({.tors = 6, .hosts_per_tor = 3, .uplinks = 3});
  for (int host = 0; host < 18; ++host) EXPECT_EQ(topology.graph.link(host, 0).to, 18 + host / 3);
}

// Links of a graph, to compare two.
std::vector<std::pair<int, int>> ends(const Topology& topology) {
  std::vector<std::pair<int, int>> all;
  for (const Link& link : topology.graph.links()) all.emplace_back(link.from, link.to);
  return all;
}

TEST(Expander, TheSameSeedDrawsTheSameGraph) {
  const auto drawn = [](std::uint64_t seed) {
    return ends(expander({.tors = 16, .hosts_per_tor = 1, .uplinks = 3, .seed = seed}));
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST(Expander, MoreDrawsAreNeverWorse) {
  const auto hops = [](int draws) {
    const Topology drawn = expander({.tors = 32, .hosts_per_tor = 1, .uplinks = 4, .draws = draws});
    std::size_t worst = 0;
    std::size_t sum = 0;
    for (int from = 0; from < 32; ++from) {
      for (int to = 0; to < 32; ++to) {
        if (from == to) continue;
        const std::size_t length = path(drawn, from, to, Pick::by_destination()).size();
        worst = std::max(worst, length);
        sum += length;
      }
    }
    return std::pair{worst, sum};
  };
  EXPECT_LE(hops(8), hops(1));
}

TEST(Expander, WithAllUplinksIsAFullMesh) {
  const Topology mesh = expander({.tors = 6, .hosts_per_tor = 1, .uplinks = 5});
  for (int to = 1; to < 6; ++to) EXPECT_EQ(path(mesh, 0, to, Pick::by_destination()).size(), 3U);
}

TEST(Expander, SaysWhatWouldWork) {
  const auto error = [](const ExpanderConfig& config) { return user_error([&] { expander(config); }); };
  EXPECT_NE(error({.tors = 7}).find("an even number of ToRs, from 2 to 4096, not 7"), std::string::npos);
  EXPECT_NE(error({.tors = 4, .uplinks = 4}).find("use 1 to 3 uplinks"), std::string::npos);
  EXPECT_NE(error({.hosts_per_tor = 0}).find("at least one host"), std::string::npos);
  EXPECT_NE(error({.draws = 0}).find("at least one draw"), std::string::npos);
  EXPECT_NE(error({.tors = 64, .uplinks = 1}).find("use more uplinks"), std::string::npos);
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

TEST(DirectConnect, AJumpLeadsToTheNodeThatFarAhead) {
  const Topology topology = direct_connect({.nodes = 7, .jumps = {2, 3}});
  for (int node = 0; node < 7; ++node) {
    std::set<int> next;
    for (const Link& link : topology.graph.links_of(7 + node)) {
      if (!topology.graph.is_host(link.to)) next.insert(link.to - 7);
    }
    EXPECT_EQ(next, (std::set{(node + 2) % 7, (node + 3) % 7}));
  }
}

TEST(DirectConnect, ANodeSendsOverAllItsFibresAtOnce) {
  const DirectConnectConfig config{.nodes = 7, .jumps = {1, 2, 3}};
  const Topology topology = direct_connect(config);
  EXPECT_EQ(topology.graph.link(0, 0).wire.rate, config.fibre.rate * 3);
  EXPECT_EQ(topology.graph.link(0, 0).wire.delay, Duration{});
}

TEST(DirectConnect, OtherTrafficTakesTheFewestFibres) {
  const Topology topology = direct_connect({.nodes = 7, .jumps = {1, 3}});
  const auto fibres = [&](int to) { return path(topology, 0, to, Pick::by_destination()).size() - 2; };
  EXPECT_EQ(fibres(3), 1U);
  EXPECT_EQ(fibres(4), 2U);  // 1 + 3
  EXPECT_EQ(fibres(5), 3U);  // 1 + 1 + 3
  EXPECT_EQ(fibres(6), 2U);  // 3 + 3
}

TEST(DirectConnect, ChosenJumpsAreDifferentAndEachMakesARing) {
  for (int nodes = 2; nodes < 60; ++nodes) {
    const int most = static_cast<int>(direct_connect_jumps(nodes, 1).size());
    ASSERT_EQ(most, 1);
    for (int degree = 1; degree <= 4; ++degree) {
      std::vector<int> jumps;
      if (!user_error([&] { jumps = direct_connect_jumps(nodes, degree); }).empty()) break;
      EXPECT_EQ(std::set<int>(jumps.begin(), jumps.end()).size(), static_cast<std::size_t>(degree));
      for (const int jump : jumps) {
        int at = jump;
        int steps = 1;
        for (; at != 0; ++steps) at = (at + jump) % nodes;
        EXPECT_EQ(steps, nodes) << "the ring comes back to 0 only after all nodes";
      }
    }
  }
}

TEST(DirectConnect, SaysWhatWouldWork) {
  const auto error = [](const DirectConnectConfig& config) {
    return user_error([&] { direct_connect(config); });
  };
  EXPECT_NE(error({.nodes = 6, .degree = 4}).find("6 nodes have 2 different rings, not 4"),
            std::string::npos);
  EXPECT_NE(error({.nodes = 6, .degree = 4}).find("use a degree from 1 to 2"), std::string::npos);
  EXPECT_NE(error({.nodes = 16, .jumps = {2}}).find("a jump of 2 does not make a ring through all 16 nodes"),
            std::string::npos);
  EXPECT_NE(error({.nodes = 1}).find("joins 2 to 16384 nodes, not 1"), std::string::npos);
}

}  // namespace
}  // namespace overture::topology
