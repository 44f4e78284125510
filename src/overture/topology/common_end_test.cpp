#include "overture/topology/common_end.h"

#include <gtest/gtest.h>

#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/star.h"

namespace overture::topology {
namespace {

TEST(CommonEnd, IsTheSwitchOfAHost) {
  EXPECT_EQ(common_end(star({.hosts = 3}).graph, 2), 3);
  EXPECT_EQ(common_end(fat_tree({.k = 4}).graph, 5), 16 + 2);
}

TEST(CommonEnd, OfAGpuWithANicOfItsOwnIsItself) {
  const Topology machines = hierarchical_switch({.gpus_per_node = 2, .nics_per_node = 2}, star({.hosts = 4}));
  EXPECT_EQ(common_end(machines.graph, 1), 1);
}

TEST(CommonEnd, OfGpusThatShareSeveralNicsIsEachItself) {
  const auto end = [](int nics) {
    return common_end(
        hierarchical_switch({.gpus_per_node = 4, .nics_per_node = nics}, star({.hosts = 2 * nics})).graph, 5);
  };
  EXPECT_EQ(end(1), 9) << "one NIC serves all: the node's switch stands for them";
  EXPECT_EQ(end(2), 5);
}

// What stands for two hosts is the same only where every switch has the same ports towards both.
TEST(CommonEnd, HostsThatShareItAreReachedByTheSamePorts) {
  std::vector<Topology> networks;
  networks.push_back(fat_tree({.k = 4}));
  for (const int nics : {1, 2, 4})
    networks.push_back(
        hierarchical_switch({.gpus_per_node = 4, .nics_per_node = nics}, star({.hosts = 3 * nics})));
  for (const Topology& network : networks) {
    const Graph& graph = network.graph;
    for (int one = 0; one < graph.hosts(); ++one) {
      for (int other = 0; other < one; ++other) {
        const int end = common_end(graph, one);
        if (end != common_end(graph, other)) continue;
        for (int node = 0; node < graph.nodes(); ++node) {
          if (node != end && node != one && node != other) {
            EXPECT_EQ(equal_ports(network, node, one), equal_ports(network, node, other))
                << "at node " << node;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace overture::topology
