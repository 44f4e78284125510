// The same run on any number of threads. One alone gives the same, too, but where ports are small: there it
// orders simultaneous arrivals by what led to them, several by times only.
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/parallel_partition.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::Topology;

void expect_equal(const PacketRun& one, const PacketRun& other, const std::string& what) {
  EXPECT_EQ(one.digest, other.digest) << what;
  EXPECT_EQ(one.completion, other.completion) << what;
  const PacketStatistics& a = one.statistics;
  const PacketStatistics& b = other.statistics;
  EXPECT_EQ(a.packet_hops, b.packet_hops) << what;
  EXPECT_EQ(a.data_packets, b.data_packets) << what;
  EXPECT_EQ(a.drops, b.drops) << what;
  EXPECT_EQ(a.marks, b.marks) << what;
  EXPECT_EQ(a.trims, b.trims) << what;
  EXPECT_EQ(a.retransmissions, b.retransmissions) << what;
  EXPECT_EQ(a.timeouts, b.timeouts) << what;
  EXPECT_EQ(a.fast_recoveries, b.fast_recoveries) << what;
  EXPECT_EQ(a.duplicates, b.duplicates) << what;
  EXPECT_EQ(a.delivered, b.delivered) << what;
  for (std::size_t id = 0; id < one.links.size(); ++id) {
    EXPECT_EQ(one.links[id].carried, other.links[id].carried) << what;
    EXPECT_EQ(one.links[id].peak_queue, other.links[id].peak_queue) << what;
    EXPECT_EQ(one.links[id].drops, other.links[id].drops) << what;
    EXPECT_EQ(one.links[id].marks, other.links[id].marks) << what;
    EXPECT_EQ(one.links[id].trims, other.links[id].trims) << what;
  }
}

void expect_equal_on_all(const Topology& topology, PacketConfig config, const std::vector<FlowSpec>& flows,
                         std::uint64_t seed) {
  const int first = config.queue.port_limit && *config.queue.port_limit < 1_MiB ? 2 : 1;
  config.threads = first;
  const PacketRun one = run_flows(topology, config, flows);
  for (config.threads = first + 1; config.threads <= 4; ++config.threads) {
    expect_equal(one, run_flows(topology, config, flows),
                 "seed " + std::to_string(seed) + ", threads " + std::to_string(config.threads));
  }
}

TEST(Parallel, ATcpRunIsTheSameOnAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    RandomStream random = RandomStreams(seed).make("parallel");
    const Topology topology = draw_topology(random);
    PacketConfig config = draw_tcp(random);
    config.of<TcpConfig>().connections = ConnectionUse::per_pair;
    std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
    if (random.below(2) == 0) {  // all at once: more ties
      for (FlowSpec& flow : flows) flow.start = Time{};
    }
    expect_equal_on_all(topology, config, flows, seed);
  }
}

TEST(Parallel, OneThreadGivesTheSameWhereNoOrderMatters) {
  const Topology leaf_spine = topology::leaf_spine({.leaves = 4, .hosts_per_leaf = 2, .spines = 2});
  PacketConfig config{.queue = {.port_limit = 12_KiB}};
  for (const std::vector<FlowSpec>& flows :
       {std::vector<FlowSpec>{{.from = Rank{0}, .to = Rank{7}, .size = 1_MiB}},
        std::vector<FlowSpec>{{.from = Rank{0}, .to = Rank{7}, .size = 700_KiB},
                              {.from = Rank{6}, .to = Rank{1}, .size = 1_MiB, .start = Time{13'337_ps}}}}) {
    config.threads = 1;
    const PacketRun one = run_flows(leaf_spine, config, flows);
    config.threads = 2;
    expect_equal(one, run_flows(leaf_spine, config, flows), "one and two");
  }
}

TEST(Parallel, ACutRunIsTheSameToo) {
  const Topology tree = topology::fat_tree({.k = 4});
  const std::vector<FlowSpec> flows = all_to_all(16, 64_KiB);
  PacketConfig config{.queue = {.port_limit = 64_KiB}};
  for (const Duration until : {1us, 17us, 60us}) {
    config.threads = 2;
    const PacketRun one = run_flows(tree, config, flows, {.until = Time{until}});
    config.threads = 3;
    expect_equal(one, run_flows(tree, config, flows, {.until = Time{until}}), "cut");
    expect_equal(one,
                 run_flows(tree, config, flows, {.until = Time{until}, .wall = std::chrono::seconds(60)}),
                 "cut in pieces");
  }
}

TEST(Parallel, PartsAreSimilarAndKeepNeighboursTogether) {
  const Topology tree = topology::fat_tree({.k = 8});
  EXPECT_EQ(window(tree.graph), Duration{500ns}.count());
  for (const int parts : {2, 3, 4}) {
    const Partition partition = packet::partition(tree.graph, parts);
    ASSERT_EQ(partition.parts, parts);
    std::vector<int> nodes(static_cast<std::size_t>(parts));
    for (const int part : partition.of) ++nodes[static_cast<std::size_t>(part)];
    EXPECT_GE(std::ranges::min(nodes) * parts * 3, tree.graph.nodes());
    for (const topology::Link& link : tree.graph.links()) {
      EXPECT_FALSE(tree.graph.is_host(link.from) && parts == 2 && partition.crosses(link));
    }
  }
  // The GPUs of a node, much nearer to each other than nodes are, stay together.
  const Topology nodes =
      topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2}, topology::star({.hosts = 16}));
  const Partition partition = packet::partition(nodes.graph, 2);
  for (const topology::Link& link : nodes.graph.links()) {
    EXPECT_TRUE(!partition.crosses(link) || link.wire.delay.count() >= window(nodes.graph));
  }
}

TEST(Parallel, RefusesWhatDoesNotRunInParts) {
  const Topology star = topology::star({.hosts = 4});
  const std::vector<FlowSpec> flows = ring(4, 1_KiB);
  PacketConfig config = dlrm_study_dctcp();
  config.threads = 2;
  EXPECT_THROW(run_flows(star, config, flows), UserError);
  EXPECT_THROW(run_flows(star, {.threads = 0}, flows), UserError);
  const topology::Wire no_delay{.rate = 100_Gbps, .delay = Duration::zero()};
  EXPECT_THROW(run_flows(topology::star({.hosts = 4, .wire = no_delay}), {.threads = 2}, flows), UserError);
}

}  // namespace
}  // namespace overture::network::packet
