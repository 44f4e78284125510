#include "overture/topology/shortest_path.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/topology/live_routing.h"
#include "overture/topology/testing.h"

namespace overture::topology {
namespace {

using namespace literals;

constexpr Wire kWire{.rate = 10_Gbps, .delay = 1us, .tier = 0};

Topology routed(Graph graph) {
  auto routing = std::make_unique<ShortestPathRouting>(graph);
  return {.graph = std::move(graph), .routing = std::move(routing)};
}

// Calls check(topology, hops, at, to) for every node and host of random networks.
template <class Check>
void for_each_question(Check check) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 1);
    const Topology topology = routed(draw_network(random));
    const auto hops = all_distances(topology.graph);
    for (int at = 0; at < topology.graph.nodes(); ++at) {
      for (int to = 0; to < topology.graph.hosts(); ++to) {
        if (at != to) check(topology, hops, at, to);
      }
    }
  }
}

TEST(ShortestPath, TheEqualPortsAreAllThatLeadOneHopNearer) {
  for_each_question([](const Topology& topology, const auto& hops, int at, int to) {
    EXPECT_EQ(equal_ports(topology, at, to), nearer_ports(topology.graph, hops, at, to));
  });
}

TEST(ShortestPath, ByDestinationTakesTheirNumberModuloTheWays) {
  for_each_question([](const Topology& topology, const auto& hops, int at, int to) {
    const std::vector<int> ports = nearer_ports(topology.graph, hops, at, to);
    ASSERT_FALSE(ports.empty());
    EXPECT_EQ(topology.routing->port(at, to, Pick::by_destination()),
              ports[static_cast<std::size_t>(to) % ports.size()]);
  });
}

TEST(ShortestPath, APathHasAsManyLinksAsThereAreHops) {
  for_each_question([](const Topology& topology, const auto& hops, int at, int to) {
    for (const std::uint64_t entropy : {1U, 2U, 3U}) {
      EXPECT_EQ(path(topology, at, to, Pick::by_hash(entropy)).size(),
                static_cast<std::size_t>(hops[static_cast<std::size_t>(at)][static_cast<std::size_t>(to)]));
    }
  });
}

TEST(ShortestPath, OfThreeCablesSideBySideAllAreUsed) {
  std::vector<Link> links;
  connect(links, 0, 2, kWire);
  for (int i = 0; i < 3; ++i) connect(links, 2, 3, kWire);
  connect(links, 3, 1, kWire);
  const Topology topology = routed(Graph(2, 2, links, {"link"}));
  EXPECT_EQ(equal_ports(topology, 2, 1), (std::vector{1, 2, 3}));
  EXPECT_EQ(topology.routing->port(2, 1, Pick::by_destination()), 2) << "host 1 of three ways: the second";
}

TEST(ShortestPath, AWayThroughAHostIsNone) {
  std::vector<Link> links;
  connect(links, 0, 1, kWire);
  connect(links, 1, 2, kWire);
  const std::string error = user_error([&] { routed(Graph(3, 0, links, {"link"})); });
  EXPECT_NE(error.find("reaches host 0 only through other hosts"), std::string::npos);
}

TEST(ShortestPath, AHostWithTwoCablesLeavesByTheShorterWay) {
  // h0 hangs on s0 and s1; h1 on s1 only: over s0 it would be a hop more.
  std::vector<Link> links;
  connect(links, 0, 2, kWire);
  connect(links, 0, 3, kWire);
  connect(links, 2, 3, kWire);
  connect(links, 1, 3, kWire);
  const Topology topology = routed(Graph(2, 2, links, {"link"}));
  EXPECT_EQ(equal_ports(topology, 0, 1), std::vector{1});
  EXPECT_EQ(path(topology, 0, 1, Pick::by_destination()).size(), 2U);
}

// What fails at random, hosts' own cables too.
TEST(LiveRouting, KnowsTheDistancesThatAreLeft) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 2);
    const Graph graph = draw_network(random);
    std::vector<bool> down(graph.links().size());
    const std::uint64_t one_in = 2 + random.below(8);
    for (std::size_t link = 0; link < down.size(); ++link) down[link] = random.below(one_in) == 0;
    const LiveRouting live(graph, down);
    const auto hops = all_distances(graph, down);
    for (int at = 0; at < graph.nodes(); ++at) {
      for (int to = 0; to < graph.hosts(); ++to) {
        const bool left = hops[static_cast<std::size_t>(at)][static_cast<std::size_t>(to)] < kFar;
        ASSERT_EQ(live.reaches(at, to), left) << at << " to " << to;
        if (at == to || !left) continue;
        const std::vector<int> ports = nearer_ports(graph, hops, at, to, down);
        EXPECT_EQ(live.equal_ports(at, to), ports) << at << " to " << to;
        EXPECT_EQ(live.port(at, to, Pick::by_destination()),
                  ports[static_cast<std::size_t>(to) % ports.size()]);
      }
    }
  }
}

TEST(LiveRouting, OfOneDirectionDownTheOtherWorks) {
  std::vector<Link> links;
  connect(links, 0, 2, kWire);
  connect(links, 1, 2, kWire);
  const Graph graph(2, 1, links, {"link"});
  std::vector<bool> down(4);
  down[static_cast<std::size_t>(graph.first_link(2))] = true;  // from the switch to h0
  const LiveRouting live(graph, down);
  EXPECT_TRUE(live.any_down());
  EXPECT_TRUE(live.reaches(0, 1));
  EXPECT_FALSE(live.reaches(1, 0));
  EXPECT_TRUE(live.equal_ports(1, 0).empty());
  EXPECT_TRUE(live.reaches(0, 0));
}

}  // namespace
}  // namespace overture::topology
