#include "overture/topology/graph.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/topology/testing.h"

namespace overture::topology {
namespace {

using namespace literals;

constexpr Wire kWire{.rate = 10_Gbps, .delay = 1us, .tier = 0};

Link one_way(int from, int to, const Wire& wire = kWire) { return {.from = from, .to = to, .wire = wire}; }

std::string error_of(int hosts, int switches, std::vector<Link> links) {
  return user_error([&] { Graph(hosts, switches, std::move(links), {"link"}); });
}

TEST(Graph, NumbersHostsThenSwitches) {
  std::vector<Link> links;
  for (const int host : {0, 1, 2}) connect(links, host, 3, kWire);
  const Graph graph(3, 1, links, {"link"});
  EXPECT_EQ(graph.hosts(), 3);
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_TRUE(graph.is_host(2));
  EXPECT_FALSE(graph.is_host(3));
  EXPECT_EQ(node_name(graph, 0), "h0");
  EXPECT_EQ(node_name(graph, 2), "h2");
  EXPECT_EQ(node_name(graph, 3), "s0");
}

TEST(Graph, PortsComeInTheOrderOfConnection) {
  const Graph graph(
      2, 2, {one_way(3, 0), one_way(0, 3), one_way(3, 1), one_way(2, 3), one_way(3, 2), one_way(1, 2)},
      {"link"});
  EXPECT_EQ(graph.ports(0), 1);
  EXPECT_EQ(graph.ports(3), 3);
  EXPECT_EQ(graph.link(3, 0).to, 0);
  EXPECT_EQ(graph.link(3, 1).to, 1);
  EXPECT_EQ(graph.link(3, 2).to, 2);
  EXPECT_EQ(graph.first_link(3), 3) << "after those of nodes 0, 1 and 2";
  EXPECT_EQ(graph.links_of(3).size(), 3U);
  EXPECT_EQ(graph.links_of(3)[1].to, 1);
}

TEST(Graph, CablesSideBySideAreTwoPorts) {
  std::vector<Link> links;
  connect(links, 0, 1, kWire);
  connect(links, 0, 1, {.rate = 40_Gbps, .delay = 2us, .tier = 0});
  const Graph graph(2, 0, links, {"link"});
  EXPECT_EQ(graph.ports(0), 2);
  EXPECT_EQ(graph.link(1, 0).wire.rate, 10_Gbps);
  EXPECT_EQ(graph.link(1, 1).wire.rate, 40_Gbps);
}

TEST(Graph, WithoutAWordOnlyHostsAreMachines) {
  std::vector<Link> links;
  connect(links, 0, 1, kWire);
  connect(links, 1, 2, kWire);
  Graph graph(1, 2, links, {"link"});
  EXPECT_TRUE(graph.is_inside_machine(0));
  EXPECT_FALSE(graph.is_inside_machine(1));
  graph.set_machine_nodes(2);
  EXPECT_TRUE(graph.is_inside_machine(1));
  EXPECT_FALSE(graph.is_inside_machine(2));
}

TEST(Graph, ASingleHostNeedsNoLink) {
  const Graph graph(1, 0, {}, {});
  EXPECT_EQ(graph.nodes(), 1);
  EXPECT_EQ(graph.ports(0), 0);
}

TEST(Graph, ASwitchThatNobodyIsConnectedToDoesNoHarm) {
  std::vector<Link> links;
  connect(links, 0, 1, kWire);
  EXPECT_EQ(Graph(2, 3, links, {"link"}).ports(4), 0);
}

TEST(Graph, NeedsAHost) { EXPECT_EQ(error_of(0, 2, {}), "a network needs at least one host"); }

TEST(Graph, ALinkHasTwoEndsThatExist) {
  EXPECT_EQ(error_of(2, 1, {one_way(0, 3)}), "a link between nodes 0 and 3, but nodes are 0 to 2");
  EXPECT_EQ(error_of(2, 1, {one_way(-1, 0)}), "a link between nodes -1 and 0, but nodes are 0 to 2");
}

TEST(Graph, ALinkHasARateAndADelayThatCanBe) {
  const auto with = [](Bandwidth rate, Duration delay) {
    return error_of(2, 0, {one_way(0, 1, {.rate = rate, .delay = delay, .tier = 0}), one_way(1, 0)});
  };
  EXPECT_EQ(with(1_Gbps, 0_ps), "");
  EXPECT_EQ(with(1_Gbps, kMostDelay), "");
  EXPECT_EQ(with(0_Gbps, 1us), "the link between nodes 0 and 1 has no rate");
  EXPECT_EQ(with(1_Gbps, Duration{-1}), "the link between nodes 0 and 1 has a negative delay");
  EXPECT_NE(with(1_Gbps, kMostDelay + 1_ps).find("use at most"), std::string::npos);
}

TEST(Graph, SaysWhoIsCutOffAndInWhichDirection) {
  EXPECT_EQ(error_of(2, 0, {one_way(1, 0)}), "the network is disconnected: no path from host 0 to host 1");
  EXPECT_EQ(error_of(2, 0, {one_way(0, 1)}), "the network is disconnected: no path to host 0 from host 1");
  EXPECT_EQ(error_of(3, 0, {one_way(0, 1), one_way(1, 0)}),
            "the network is disconnected: no path from host 0 to host 2");
}

TEST(Graph, ARingOfOneWayLinksIsConnected) {
  EXPECT_EQ(error_of(3, 0, {one_way(0, 1), one_way(1, 2), one_way(2, 0)}), "");
}

TEST(Graph, TheLargestThatIsBuiltHasSixteenMillionCables) {
  EXPECT_EQ(user_error([] { require_buildable("a star", 16'777'216); }), "");
  const std::string error = user_error([] { require_buildable("a star", 16'777'217); });
  EXPECT_NE(error.find("a star with 16777217 cables is too large for memory"), std::string::npos);
  EXPECT_NE(error.find("at most 16777216 cables fit"), std::string::npos);
}

// However links are given: sorted by where they begin, and of one node in the order in which they came.
TEST(Graph, AnyOrderOfLinksGivesTheSameNodesTheirPorts) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, 0);
    const Graph drawn = draw_network(random);
    std::vector<Link> links = drawn.links();
    std::ranges::stable_sort(links, std::greater{}, &Link::from);  // the last node's first
    const Graph again(drawn.hosts(), drawn.nodes() - drawn.hosts(), links, drawn.tiers());
    ASSERT_EQ(again.links().size(), drawn.links().size());
    for (int node = 0; node < drawn.nodes(); ++node) {
      ASSERT_EQ(again.ports(node), drawn.ports(node)) << "seed " << seed;
      for (int port = 0; port < drawn.ports(node); ++port)
        EXPECT_EQ(again.link(node, port).to, drawn.link(node, port).to) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace overture::topology
