// What must hold on every network, whatever the sizes, rates, buffers and losses.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/testing.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::Topology;

// Everything arrives, every byte once, not before it can; the same run again is the same.
void expect_delivery(const Topology& topology, const PacketConfig& config, const std::vector<FlowSpec>& flows,
                     std::uint64_t seed, PacketStatistics& total) {
  const PacketRun result = run_flows(topology, config, flows);
  expect_all_delivered(topology, config, flows, result, seed);
  EXPECT_EQ(run_flows(topology, config, flows).digest, result.digest) << "seed " << seed;
  total.trims += result.statistics.trims;
  total.drops += result.statistics.drops;
  total.timeouts += result.statistics.timeouts;
  total.duplicates += result.statistics.duplicates;
}

// All at once, and larger than a first window.
void crowd(std::vector<FlowSpec>& flows) {
  for (FlowSpec& flow : flows) flow = {.from = flow.from, .to = flow.to, .size = flow.size * 5};
}

enum class Crowds : bool { never, often };

// Random networks with a configuration of `draw` each.
PacketStatistics deliver_all(const char* stream, std::uint64_t seeds, PacketConfig (*draw)(RandomStream&),
                             Crowds crowds) {
  PacketStatistics total;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomStream random = RandomStreams(seed).make(stream);
    const Topology topology = draw_topology(random);
    const PacketConfig config = draw(random);
    std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
    if (crowds == Crowds::often && random.below(2) == 0) crowd(flows);
    expect_delivery(topology, config, flows, seed, total);
  }
  return total;
}

TEST(PacketEngine, DeliversEveryByteOnceAndNeverBeatsTheWire) {
  const PacketStatistics total = deliver_all("properties", 150, draw_tcp, Crowds::never);
  EXPECT_GT(total.drops, 10'000);  // the draws are harsh enough to mean something
  EXPECT_GT(total.timeouts, 100);
}

TEST(PacketEngine, NdpDeliversEveryByteOnceAndNeverBeatsTheWire) {
  const PacketStatistics total = deliver_all("ndp properties", 150, draw_ndp, Crowds::often);
  EXPECT_GT(total.trims, 10'000);
  EXPECT_GT(total.drops, 1'000);
  EXPECT_GT(total.timeouts, 100);
  EXPECT_GT(total.duplicates, 100);
}

TEST(PacketEngine, HtsimsDctcpDeliversEveryByteOnceAndNeverBeatsTheWire) {
  const PacketStatistics total = deliver_all("htsim properties", 100, draw_htsim_dctcp, Crowds::often);
  EXPECT_GT(total.drops, 10'000);
  EXPECT_GT(total.timeouts, 100);
  EXPECT_GT(total.duplicates, 100);
}

// Every sender loses its window to a port of two packets. The timeout is the shortest one when the SYN's
// round trip was measured, and three times the age of the run (RFC 6298, 2.2) when it was not.
TEST(PacketEngine, AnUnstampedSynMakesTimeoutsOfSeconds) {
  std::vector<FlowSpec> flows = incast(8, Bytes{2 * 8'936});
  for (FlowSpec& flow : flows) flow.start = Time{1s};
  PacketConfig config = dlrm_study_dctcp();
  config.queue.port_limit = config.of<HtsimDctcpConfig>().packet * 2;
  const Topology star = topology::star({.hosts = 9});
  const PacketRun unstamped = run_flows(star, config, flows);
  config.of<HtsimDctcpConfig>().stamp_syn = true;
  const PacketRun stamped = run_flows(star, config, flows);
  EXPECT_GT(stamped.statistics.timeouts, 0);
  EXPECT_GT(unstamped.statistics.timeouts, 0);
  EXPECT_LT(stamped.makespan, 1s + 200ms);
  EXPECT_GT(unstamped.makespan, 1s + 3s);
}

// Two hosts and a switch: one packet, and how trimming and priorities look from outside.
TEST(PacketEngine, NdpOnAnEmptyStarIsExact) {
  const Topology star = topology::star({.hosts = 2});
  const auto completion = [&](Bytes size) {
    return run_flows(star, ndp(), {{.from = Rank{0}, .to = Rank{1}, .size = size}}).completion[0].value();
  };
  EXPECT_EQ(completion(1_B), 2 * (transfer_time(Bytes{65}, 100_Gbps) + 500ns));
  // The last packet is short, and waits for the full one before it at both links.
  EXPECT_EQ(completion(Bytes{9'001}),
            2 * transfer_time(Bytes{9'064}, 100_Gbps) + transfer_time(Bytes{65}, 100_Gbps) + 1us);
}

TEST(PacketEngine, NdpTrimsWhatDoesNotFitAndSendsItAgain) {
  PacketConfig config = ndp();
  config.queue.trim.data_limit = Bytes{3 * 9'064};
  // Six packets reach the port at once: one is being sent, two wait, three are trimmed, whichever they are.
  const PacketRun result = run_flows(topology::star({.hosts = 7}), config, incast(6, Bytes{9'000}));
  EXPECT_EQ(result.statistics.trims, 3);
  EXPECT_EQ(result.statistics.retransmissions, 3);
  EXPECT_EQ(result.statistics.drops, 0);
  EXPECT_EQ(result.statistics.timeouts, 0);
  EXPECT_EQ(std::ranges::max(result.links, {}, &LinkRecord::trims).trims, 3);
}

TEST(PacketEngine, NdpIncastCompletesNearLineRate) {
  for (const int senders : {8, 63}) {
    const Bytes size{900'000};
    const PacketRun result = run_flows(topology::star({.hosts = 64}), ndp(), incast(senders, size));
    const Duration ideal = senders * 100 * transfer_time(Bytes{9'064}, 100_Gbps);
    EXPECT_GT(result.makespan, ideal) << senders;
    EXPECT_LT(result.makespan, ideal * 102 / 100 + 20us) << senders;  // pulls come at 99 % of the rate
    EXPECT_GT(result.statistics.trims, 0) << senders;
    EXPECT_EQ(result.statistics.timeouts, 0) << senders;
    EXPECT_LE(std::ranges::max(result.links, {}, &LinkRecord::peak_queue).peak_queue,
              ndp().queue.trim.data_limit + ndp().queue.trim.control_limit);
  }
}

TEST(PacketEngine, NdpSpraysEvenlyOverAllWays) {
  const Topology tree = topology::fat_tree({.k = 4});
  const PacketRun result =
      run_flows(tree, ndp(), {{.from = Rank{0}, .to = Rank{15}, .size = Bytes{3'600'000}}});
  int used = 0;
  for (std::size_t id = 0; id < result.links.size(); ++id) {
    const topology::Link& link = tree.graph.links()[id];
    if (link.wire.tier != 2 || result.links[id].carried < Bytes{100'000}) continue;
    ++used;
    EXPECT_EQ(result.links[id].carried.count() / 9'064, 100) << id;  // a quarter of 400 packets
  }
  EXPECT_EQ(used, 8);  // four cores, up and down
}

TEST(PacketEngine, ABusyPortNeverRests) {
  PacketConfig config;
  config.of<TcpConfig>().initial_window = 1000;
  config.of<TcpConfig>().receive_window = config.of<TcpConfig>().first_window = 16_MiB;
  const int senders = 20;
  const PacketRun result = run_flows(topology::star({.hosts = 21}), config, incast(senders, Bytes{144'800}));
  // All first packets reach the switch at the same time; from then on its port to host 0 sends without a gap.
  const Duration packet = transfer_time(Bytes{1490}, 100_Gbps);
  EXPECT_EQ(result.makespan, 1_ps + packet + 500ns + senders * 100 * packet + 500ns);
}

TEST(PacketEngine, DropTailCountsWhatWaitsBehindThePacketBeingSent) {
  PacketConfig config;
  config.of<TcpConfig>().initial_window = 1;
  // Five packets of 1042 B reach the port at the same time: one is being sent, two wait, two are dropped.
  config.queue.port_limit = Bytes{2 * 1042};
  config.of<TcpConfig>().min_rto = 1ms;
  const PacketRun result = run_flows(topology::star({.hosts = 6}), config, incast(5, Bytes{1000}));
  EXPECT_EQ(result.statistics.drops, 2);
  EXPECT_EQ(result.statistics.timeouts, 2);
  EXPECT_EQ(result.statistics.retransmissions, 2);
  EXPECT_EQ(std::ranges::count_if(result.completion, [](const auto& fct) { return *fct > Duration{1ms}; }),
            2);
}

TEST(PacketEngine, NothingIsDroppedInsideAMachine) {
  const auto drops = [](int nodes, const std::vector<int>& senders) {
    PacketConfig config;
    config.queue.port_limit = 3_KiB;
    std::vector<FlowSpec> flows;
    for (const int from : senders) flows.push_back({.from = Rank{from}, .to = Rank{0}, .size = 64_KiB});
    return run_flows(topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 4},
                                                   topology::star({.hosts = 4 * nodes})),
                     config, flows)
        .statistics.drops;
  };
  EXPECT_EQ(drops(2, {1, 2, 3}), 0);
  EXPECT_GT(drops(4, {5, 9, 13}), 0);
}

TEST(PacketEngine, AnAckDelayCostsEveryRoundTripThatIsWaitedFor) {
  const auto takes = [](Duration ack_delay) {
    PacketConfig config;
    config.of<TcpConfig>().initial_window = 1;
    config.of<TcpConfig>().ack_delay = ack_delay;
    return run_flows(topology::star({.hosts = 2}), config, {{.from = Rank{0}, .to = Rank{1}, .size = 4344_B}})
        .makespan;
  };
  // One segment, then after its ACK two more.
  EXPECT_EQ(takes(2us) - takes(0us), 2us);
}

TEST(PacketEngine, ASharedBufferServesWhoeverNeedsIt) {
  PacketConfig config;
  config.queue.shared_limit = Bytes{900'000};
  config.of<TcpConfig>().initial_window = 100;
  config.of<TcpConfig>().first_window = config.of<TcpConfig>().receive_window;
  const auto one_port = incast(8, 128_KiB);  // 1 MiB and headers, for one port
  EXPECT_GT(run_flows(topology::star({.hosts = 9}), config, one_port).statistics.drops, 0);
  config.queue.shared_limit = 2_MiB;
  EXPECT_EQ(run_flows(topology::star({.hosts = 9}), config, one_port).statistics.drops, 0);
}

// Choudhury and Hahne: one busy port settles at alpha / (1 + alpha) of the buffer, and leaves the rest to
// others.
TEST(PacketEngine, ADynamicThresholdKeepsAPortFromTakingAll) {
  PacketConfig config;
  config.queue.shared_limit = Bytes{900'000};
  config.queue.dynamic_alpha = 0.5;
  config.of<TcpConfig>().initial_window = 100;
  config.of<TcpConfig>().first_window = config.of<TcpConfig>().receive_window;
  const topology::Topology star = topology::star({.hosts = 9});
  const PacketRun result = run_flows(star, config, incast(8, 128_KiB));
  EXPECT_EQ(result.finished, 8);
  EXPECT_GT(result.statistics.drops, 0);
  const LinkRecord& port = result.links[static_cast<std::size_t>(star.graph.first_link(9))];
  EXPECT_LE(port.peak_queue, Bytes{300'000});
  EXPECT_GT(port.peak_queue, Bytes{290'000});
  config.queue.shared_limit.reset();
  EXPECT_THROW(run_flows(star, config, incast(8, 128_KiB)), UserError);
}

TEST(PacketEngine, DctcpKeepsQueuesShort) {
  const auto peak = [](const PacketConfig& config) {
    const PacketRun result = run_flows(topology::star({.hosts = 5}), config, incast(4, 4_MiB));
    return std::ranges::max(result.links, {}, &LinkRecord::peak_queue).peak_queue;
  };
  PacketConfig config;
  config.of<TcpConfig>().receive_window = 8_MiB;
  const Bytes without = peak(config);
  config.of<TcpConfig>().control = kControl<DctcpConfig>;
  config.queue.mark_above = Bytes{65 * 1490};
  EXPECT_LT(peak(config) * 4, without);
  config.queue.mark_at = MarkAt::dequeue;
  EXPECT_LT(peak(config) * 4, without);
}

// A queue of equal packets that come at once: the first ones leave the most behind them.
TEST(PacketEngine, MarksAtDequeueWhatLeavesALongQueueBehind) {
  PacketConfig config;
  config.of<TcpConfig>().initial_window = 10;
  config.queue.mark_above = Bytes{15 * 1490};
  const auto marks = [&](MarkAt at) {
    config.queue.mark_at = at;
    return run_flows(topology::star({.hosts = 3}), config, incast(2, Bytes{14'480})).statistics.marks;
  };
  // Twenty packets arrive in ten pairs, one leaves per pair: at most 11 wait, so nothing is marked.
  EXPECT_EQ(marks(MarkAt::enqueue), 0);
  EXPECT_EQ(marks(MarkAt::dequeue), 0);
  config.queue.mark_above = Bytes{5 * 1490};
  EXPECT_GT(marks(MarkAt::enqueue), 0);
  EXPECT_GT(marks(MarkAt::dequeue), 0);
}

TEST(PacketEngine, LongWaysAreToppedUp) {
  // 42 hops, and a word holds 32 ports of a ring.
  const Topology ring_of_80 = topology::torus({.sizes = {80}});
  const PacketRun result = run_flows(ring_of_80, {}, {{.from = Rank{0}, .to = Rank{40}, .size = 1_KiB}});
  EXPECT_EQ(std::ranges::count_if(result.links, [](const LinkRecord& link) { return link.carried > 1_KiB; }),
            42);
  EXPECT_TRUE(result.completion[0]);
}

TEST(PacketEngine, SlowAndLongLinksAreOnlySlow) {
  const topology::Wire modem{.rate = Bandwidth::bits_per_second(1'000), .delay = 1s};
  PacketConfig config;
  config.of<TcpConfig>().min_rto = 100s;
  config.of<TcpConfig>().max_rto = 200s;
  const PacketRun result = run_flows(topology::star({.hosts = 2, .wire = modem}), config,
                                     {{.from = Rank{0}, .to = Rank{1}, .size = 83_B}});
  EXPECT_EQ(result.completion[0], Duration{4s} + 1_ps);  // 125 B take a second
}

TEST(PacketEngine, LinkRecordsAddUp) {
  const Topology tree = topology::fat_tree({.k = 4});
  const PacketRun result = run_flows(tree, {}, all_to_all(16, 64_KiB));
  Bytes up{0};
  for (int host = 0; host < 16; ++host) up += result.links[tree.graph.first_link(host)].carried;
  const std::int64_t packets = 46;  // of 64 KiB
  EXPECT_GE(up, (64_KiB + Bytes{42} * packets) * 240);
  EXPECT_LE(up, (64_KiB + Bytes{42 + 42} * packets) * 240);
  for (const LinkRecord& link : result.links) EXPECT_LE(link.busy, result.makespan + 100us);
}

TEST(PacketEngine, AnotherSeedDrawsOtherWays) {
  PacketConfig config{.paths = topology::PathRule::spray};
  const auto digest = [&] {
    return run_flows(topology::fat_tree({.k = 4}), config, all_to_all(16, 8_KiB)).digest;
  };
  const std::uint64_t first = digest();
  EXPECT_EQ(digest(), first);
  config.seed = 2;
  EXPECT_NE(digest(), first);
}

// A flow's way is a hash of the flow: other flows in the list, and their order, do not change it.
TEST(PacketEngine, AHashedPathDoesNotDependOnOtherFlows) {
  const Topology tree = topology::fat_tree({.k = 4});
  for (PacketConfig config : {PacketConfig{}, dlrm_study_dctcp(), ndp(), roce()}) {
    config.paths = topology::PathRule::hash_per_flow;
    const auto links_of = [&](std::vector<FlowSpec> flows) {
      const PacketRun result = run_flows(tree, config, flows);
      std::vector<std::size_t> used;
      for (std::size_t id = 0; id < result.links.size(); ++id) {
        if (result.links[id].carried > 90_KiB) used.push_back(id);
      }
      return used;
    };
    const FlowSpec large{.from = Rank{0}, .to = Rank{15}, .size = 100_KiB};
    const FlowSpec small{.from = Rank{0}, .to = Rank{14}, .size = 1_KiB};
    const FlowSpec other{.from = Rank{3}, .to = Rank{8}, .size = 1_KiB};
    const auto alone = links_of({large});
    EXPECT_EQ(alone.size(), 6);
    EXPECT_EQ(links_of({small, other, large}), alone);
    EXPECT_EQ(links_of({large, other, small}), alone);
  }
}

// Of four paths, a flow with one entropy takes one, with two at most two, and with many all.
TEST(PacketEngine, EntropiesSpreadAFlow) {
  const Topology tree = topology::fat_tree({.k = 4});
  for (PacketConfig config : {PacketConfig{}, ndp()}) {
    config.paths = topology::PathRule::hash_per_flow;
    config.of<TcpConfig>().duplicate_acks = 30;
    const auto cores_used = [&](int entropies) {
      config.entropies = entropies;
      const PacketRun result =
          run_flows(tree, config, {{.from = Rank{0}, .to = Rank{15}, .size = Bytes{900'000}}});
      int used = 0;
      for (std::size_t id = 0; id < result.links.size(); ++id) {
        if (tree.graph.links()[id].wire.tier == 2 && result.links[id].carried > Bytes{50'000}) ++used;
      }
      return used / 2;  // up and down
    };
    EXPECT_EQ(cores_used(1), 1);
    EXPECT_LE(cores_used(2), 2);
    EXPECT_EQ(cores_used(64), 4);
    config.paths = topology::PathRule::by_destination;
    EXPECT_THROW(cores_used(2), UserError);
  }
}

// Every packet beyond the first sending of each is one sent again, after a timeout the whole window too.
TEST(PacketEngine, HtsimsDctcpCountsAllThatIsSentAgain) {
  PacketConfig config = dlrm_study_dctcp();
  config.queue.port_limit = config.of<HtsimDctcpConfig>().packet * 4;
  const Bytes size{40 * 8'936};
  const PacketRun result = run_flows(topology::star({.hosts = 9}), config, incast(8, size));
  EXPECT_GT(result.statistics.timeouts, 0);
  const std::uint64_t once = 8 * (1 + 40);  // with the SYN
  EXPECT_EQ(result.statistics.retransmissions, result.statistics.data_packets - once);
}

TEST(PacketEngine, ABoundedRunReportsWhatFinished) {
  const Topology star = topology::star({.hosts = 4});
  const std::vector<FlowSpec> flows{{.from = Rank{0}, .to = Rank{1}, .size = 1_B},
                                    {.from = Rank{2}, .to = Rank{3}, .size = 64_MiB}};
  const PacketRun cut = run_flows(star, {}, flows, {.until = Time{100us}});
  EXPECT_EQ(cut.finished, 1);
  EXPECT_FALSE(cut.completion[1]);
  const PacketRun timed = run_flows(star, {}, flows, {.wall = std::chrono::seconds(60)});
  EXPECT_EQ(timed.finished, 2);
  EXPECT_EQ(timed.completion[1], run_flows(star, {}, flows).completion[1]);
}

TEST(PacketEngine, RefusesFlowsThatCannotBe) {
  const Topology star = topology::star({.hosts = 4});
  EXPECT_THROW(run_flows(star, {}, {{.from = Rank{0}, .to = Rank{4}, .size = 1_B}}), UserError);
  EXPECT_THROW(run_flows(star, {}, {{.from = Rank{-1}, .to = Rank{1}, .size = 1_B}}), UserError);
  EXPECT_THROW(run_flows(star, {}, {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{-1}}}), UserError);
  EXPECT_THROW(run_flows(star, {}, {{.from = Rank{0}, .to = Rank{1}, .size = 1_B, .start = Time{-1ns}}}),
               UserError);
  PacketConfig both = ndp();
  both.queue.port_limit = 1_MiB;
  EXPECT_THROW(run_flows(star, both, {}), UserError);
  EXPECT_EQ(run_flows(star, {}, {}).finished, 0);
}

}  // namespace
}  // namespace overture::network::packet
