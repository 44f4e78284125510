// Which thread simulates what, and where threads meet.
#include <numeric>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "overture/network/packet/parallel_barrier.h"
#include "overture/network/packet/parallel_partition.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;

TEST(Partition, OfOnePartHasAllNodesInIt) {
  const topology::Graph graph = topology::fat_tree({.k = 4}).graph;
  const Partition whole = partition(graph, 1);
  EXPECT_EQ(whole.parts, 1);
  EXPECT_EQ(whole.of, std::vector<int>(static_cast<std::size_t>(graph.nodes())));
}

TEST(Partition, PartsAreNumberedWithoutAGapAndCutNothingShorterThanTheWindow) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    const topology::Graph graph = draw_topology(random).graph;
    for (int parts = 2; parts <= 6; ++parts) {
      const Partition cut = partition(graph, parts);
      ASSERT_EQ(cut.of.size(), static_cast<std::size_t>(graph.nodes()));
      const std::set<int> used(cut.of.begin(), cut.of.end());
      EXPECT_LE(cut.parts, parts);
      EXPECT_EQ(static_cast<int>(used.size()), cut.parts) << "seed " << seed;
      EXPECT_EQ(*used.begin(), 0);
      EXPECT_EQ(*used.rbegin(), cut.parts - 1);
      for (const topology::Link& link : graph.links()) {
        if (cut.crosses(link)) {
          EXPECT_GE(link.wire.delay.count(), window(graph)) << "seed " << seed;
        }
      }
    }
  }
}

TEST(Partition, AnEqualNetworkFallsIntoEqualHalves) {
  const topology::Graph graph =
      topology::leaf_spine(
          {.leaves = 4, .hosts_per_leaf = 4, .spines = 4, .host = {.rate = 100_Gbps, .delay = 500ns}})
          .graph;
  const Partition cut = partition(graph, 2);
  ASSERT_EQ(cut.parts, 2);
  EXPECT_EQ(std::accumulate(cut.of.begin(), cut.of.begin() + 16, 0), 8) << "half of the hosts";
}

TEST(Partition, NeighboursInTheRowOfHostsStayTogether) {
  const topology::Graph graph = topology::fat_tree({.k = 4}).graph;
  const Partition cut = partition(graph, 2);
  for (int host = 0; host + 1 < 16; ++host)
    EXPECT_LE(cut.of[static_cast<std::size_t>(host)], cut.of[static_cast<std::size_t>(host) + 1]);
}

TEST(Partition, WithoutDelaysNothingCanBeCut) {
  const topology::Wire wire{.rate = 100_Gbps, .delay = Duration::zero()};
  const topology::Graph graph = topology::star({.hosts = 8, .wire = wire}).graph;
  EXPECT_EQ(window(graph), 0);
  EXPECT_EQ(partition(graph, 4).parts, 1);
}

TEST(Window, IsTheLongestDelayAtWhichTheNetworkStillFallsApart) {
  // Racks of four on wires of 100 ns, racks 2 us apart.
  const topology::Topology racks =
      topology::leaf_spine({.leaves = 8,
                            .hosts_per_leaf = 4,
                            .spines = 2,
                            .host = {.rate = 100_Gbps, .delay = 100ns, .tier = 0},
                            .spine = {.rate = 100_Gbps, .delay = 2us, .tier = 1}});
  EXPECT_EQ(window(racks.graph), Duration{2us}.count());
  // With one delay everywhere, that.
  EXPECT_EQ(window(topology::star({.hosts = 16}).graph), Duration{500ns}.count());
}

TEST(Barrier, NobodyIsARoundAhead) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 2000;
  Barrier barrier(kThreads);
  std::array<std::atomic<int>, kThreads> round{};
  std::atomic<int> apart = 0;
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < kThreads; ++self) {
    threads.emplace_back([&, self] {
      for (int i = 1; i <= kRounds; ++i) {
        round[self].store(i);
        barrier.meet();
        for (const std::atomic<int>& other : round) {
          if (other.load() != i) ++apart;
        }
        barrier.meet();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(apart, 0);
}

TEST(Barrier, OfOneThreadIsNone) {
  Barrier barrier(1);
  for (int i = 0; i < 10; ++i) barrier.meet();
}

}  // namespace
}  // namespace overture::network::packet
