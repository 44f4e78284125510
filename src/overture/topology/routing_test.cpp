#include "overture/topology/routing.h"

#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/topology/expander.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/live_routing.h"
#include "overture/topology/shortest_path.h"
#include "overture/topology/torus.h"

namespace overture::topology {
namespace {

TEST(Choices, GoThroughEverySequenceOnce) {
  Choices choices;
  std::set<std::vector<int>> seen;
  int calls = 0;
  do {
    std::vector<int> answers{choices.answer(3)};
    // Another question is asked only after some answers, as routings do.
    if (answers.front() != 1) answers.push_back(choices.answer(2));
    seen.insert(answers);
    ++calls;
  } while (choices.advance());
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(seen.size(), 5U);
}

TEST(FlowHash, DependsOnEveryPartAndOnNothingElse) {
  EXPECT_EQ(flow_hash(1, 2, 3, 4), flow_hash(1, 2, 3, 4));
  const std::set<std::uint64_t> hashes{flow_hash(1, 2, 3, 4), flow_hash(2, 2, 3, 4), flow_hash(1, 3, 2, 4),
                                       flow_hash(1, 2, 4, 3), flow_hash(1, 2, 3, 5), flow_hash(1, 3, 3, 4)};
  EXPECT_EQ(hashes.size(), 6U);
}

TEST(Pick, ByHashUsesAllWaysAboutEqually) {
  int counts[8] = {};
  for (int flow = 0; flow < 8000; ++flow)
    ++counts[Pick::by_hash(flow_hash(1, flow, flow + 1)).among(8, 0, 5)];
  for (const int count : counts) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

// Were all switches to hash alike, those of the second layer would see only flows of one value.
TEST(Pick, SwitchesHashIndependently) {
  int both = 0;
  for (int flow = 0; flow < 4000; ++flow) {
    const Pick pick = Pick::by_hash(flow_hash(1, flow, 1));
    both += pick.among(2, 0, 10) == 1 && pick.among(2, 0, 11) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(both, 1000, 120);
}

TEST(Pick, ByDestinationIsThePreferredWay) {
  for (int way = 0; way < 4; ++way) EXPECT_EQ(Pick::by_destination().among(4, way, 7), way);
}

// What arithmetic says of a regular network is what a search finds.
TEST(ShortestPath, AgreesWithTheRoutingOfRegularNetworks) {
  std::vector<Topology> networks;
  networks.push_back(fat_tree({.k = 4}));
  networks.push_back(leaf_spine({.leaves = 3, .hosts_per_leaf = 2, .spines = 4}));
  for (const Topology& network : networks) {
    const Topology searched{.graph = network.graph,
                            .routing = std::make_unique<ShortestPathRouting>(network.graph)};
    for (int from = 0; from < network.graph.hosts(); ++from) {
      for (int to = 0; to < network.graph.hosts(); ++to) {
        if (from == to) continue;
        EXPECT_EQ(path(searched, from, to, Pick::by_destination()).size(),
                  path(network, from, to, Pick::by_destination()).size());
        const int edge = network.graph.link(from, 0).to;
        EXPECT_EQ(equal_ports(searched, edge, to), equal_ports(network, edge, to));
      }
    }
  }
}

std::vector<bool> some_down(const Graph& graph, RandomStream& random, std::uint64_t one_in) {
  std::vector<bool> down(graph.links().size());
  for (std::size_t link = 0; link < down.size(); ++link) {
    const Link& of = graph.links()[link];
    down[link] = !graph.is_host(of.from) && !graph.is_host(of.to) && random.below(one_in) == 0;
  }
  return down;
}

// Whatever fails: a way that is said to be left leads to its end over links that work, and is never longer
// than the number of nodes.
TEST(LiveRouting, WalksEndOverWorkingLinks) {
  RandomStream random(7, 0);
  for (int round = 0; round < 40; ++round) {
    const Topology network = round % 2 == 0 ? fat_tree({.k = 4}) : expander({.tors = 12, .uplinks = 3});
    const Graph& graph = network.graph;
    const LiveRouting live(graph, some_down(graph, random, 4));
    for (int trial = 0; trial < 40; ++trial) {
      const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(graph.hosts())));
      const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(graph.hosts())));
      if (from == to || !live.reaches(from, to)) continue;
      const Pick pick = Pick::by_hash(random());
      int at = from;
      int hops = 0;
      while (at != to) {
        const int port = live.port(at, to, pick);
        ASSERT_FALSE(live.is_down(graph.first_link(at) + port));
        at = graph.link(at, port).to;
        ASSERT_LE(++hops, graph.nodes());
      }
    }
  }
}

TEST(LiveRouting, ReachesExactlyWhatASearchReaches) {
  RandomStream random(8, 0);
  for (int round = 0; round < 20; ++round) {
    const Topology network = expander({.tors = 12, .uplinks = 3});
    const Graph& graph = network.graph;
    const std::vector<bool> down = some_down(graph, random, 2);
    const LiveRouting live(graph, down);
    std::vector<int> found{0};
    std::set<int> seen{0};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0 && graph.is_host(found[i])) continue;
      for (int port = 0; port < graph.ports(found[i]); ++port) {
        const int to = graph.link(found[i], port).to;
        if (!down[static_cast<std::size_t>(graph.first_link(found[i]) + port)] && seen.insert(to).second)
          found.push_back(to);
      }
    }
    for (int host = 1; host < graph.hosts(); ++host) EXPECT_EQ(live.reaches(0, host), seen.contains(host));
  }
}

TEST(LiveRouting, WithoutFaultsEqualPortsAreThoseOfTheNetwork) {
  const Topology network = fat_tree({.k = 4});
  const LiveRouting live(network.graph, std::vector<bool>(network.graph.links().size()));
  EXPECT_FALSE(live.any_down());
  for (int node = network.graph.hosts(); node < network.graph.nodes(); ++node) {
    for (int to = 0; to < network.graph.hosts(); ++to)
      EXPECT_EQ(live.equal_ports(node, to), equal_ports(network, node, to));
  }
}

TEST(Torus, EveryHostIsAsFarFromAllOthersAsEveryOther) {
  const Topology grid = torus({.sizes = {3, 4, 5}});
  std::set<std::size_t> sums;
  for (int from = 0; from < 60; ++from) {
    std::size_t sum = 0;
    for (int to = 0; to < 60; ++to)
      sum += from == to ? 0 : path(grid, from, to, Pick::by_destination()).size();
    sums.insert(sum);
  }
  EXPECT_EQ(sums.size(), 1U);
}

}  // namespace
}  // namespace overture::topology
