#include "overture/network/packet/packet_faults.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing_seeds.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/packet/testing.h"
#include "overture/sim/event_queue.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using topology::Topology;

LinkFault cable(const std::string& between, Duration from = {}, std::optional<Duration> until = {}) {
  LinkFault fault;
  fault.between = between;
  fault.from = from;
  fault.until = until;
  return fault;
}

LinkFault losing(const std::string& between, double loss) {
  LinkFault fault = cable(between);
  fault.loss = loss;
  return fault;
}

PacketRun run(const Topology& topology, const PacketConfig& config, const std::vector<FlowSpec>& flows,
              const Faults& faults) {
  return run_flows(topology, config, flows, {}, std::nullopt, faults);
}

const std::vector<FlowSpec> kOneFlow{{.from = Rank{0}, .to = Rank{1}, .size = Bytes{1'000'000}}};

TEST(PacketFaults, ATransferWaitsUntilItsCableIsBack) {
  const Topology star = topology::star({.hosts = 2});
  for (const PacketConfig& config : {PacketConfig{}, ndp(), roce(), dlrm_study_dctcp()}) {
    const PacketRun whole = run(star, config, kOneFlow, {});
    const PacketRun cut = run(star, config, kOneFlow, {.links = {cable("h1-s0", 20us, 30ms)}});
    EXPECT_EQ(cut.finished, 1U);
    EXPECT_GT(cut.makespan, 30ms);
    EXPECT_LT(whole.makespan, 1ms);
    EXPECT_GT(cut.statistics.lost, 0U);
    EXPECT_EQ(cut.statistics.delivered, 1'000'000_B);
    EXPECT_EQ(cut.statistics.faults, 1U);
  }
}

TEST(PacketFaults, WhatIsOnTheWireWhenItGoesDownIsLost) {
  // 100 Gbps and 500 ns: the packet of 1 byte leaves h0 at once and is on the second wire at 600 ns.
  const Topology star = topology::star({.hosts = 2});
  const std::vector<FlowSpec> byte{{.from = Rank{0}, .to = Rank{1}, .size = Bytes{1}}};
  EXPECT_EQ(run(star, {}, byte, {.links = {cable("h1-s0", 600ns, 601ns)}}).statistics.lost, 1U);
  EXPECT_EQ(run(star, {}, byte, {.links = {cable("h1-s0", 100ns, 400ns)}}).statistics.lost, 0U);
}

// Hosts 0 and 15 of a fat tree with k=4 are in different pods, with four paths between them.
const std::vector<FlowSpec> kAcrossPods{{.from = Rank{0}, .to = Rank{15}, .size = Bytes{3'000'000}}};

TEST(PacketFaults, RoutesGoAroundWhatIsDownOnceItIsKnown) {
  const Topology tree = topology::fat_tree({.k = 4});
  const Duration healthy = run(tree, {}, kAcrossPods, {}).makespan;
  // s0 is the edge of host 0, s8 and s9 its aggregations; by destination 15 the flow takes s9.
  const Faults known{.links = {cable("s0-s9")}};
  const PacketRun from_the_start = run(tree, {}, kAcrossPods, known);
  EXPECT_EQ(from_the_start.makespan, healthy);
  EXPECT_EQ(from_the_start.statistics.lost, 0U);
  EXPECT_GT(from_the_start.statistics.reroutes, 2000U);
  const PacketRun later = run(tree, {}, kAcrossPods, {.detection = 10us, .links = {cable("s0-s9", 50us)}});
  EXPECT_EQ(later.finished, 1U);
  EXPECT_GT(later.makespan, healthy);
  EXPECT_GT(later.statistics.lost, 10U);
  EXPECT_EQ(later.statistics.delivered, 3'000'000_B);
}

TEST(PacketFaults, ASwitchFarDownThePathIsAvoidedFromTheFirstSwitchOn) {
  const Topology tree = topology::fat_tree({.k = 4});
  SwitchFault core;
  core.name = "s19";  // the last of four cores
  for (PacketConfig config : {PacketConfig{}, ndp(), roce()}) {
    const PacketRun detour = run(tree, config, kAcrossPods, {.switches = {core}});
    EXPECT_EQ(detour.finished, 1U);
    EXPECT_EQ(detour.statistics.lost, 0U);
    config.paths = topology::PathRule::by_destination;
    EXPECT_EQ(run(tree, config, kAcrossPods, {.switches = {core}}).makespan,
              run(tree, config, kAcrossPods, {}).makespan);
  }
}

TEST(PacketFaults, AFlowWithoutAPathIsToldAndTheOthersFinish) {
  const Topology star = topology::star({.hosts = 4});
  NodeFault dead;
  dead.node = 2;
  dead.dies = true;
  dead.from = 10us;
  const auto flows = ring(4, 1_MiB);
  for (const PacketConfig& config : {PacketConfig{}, ndp(), roce(), dlrm_study_dctcp()}) {
    const PacketRun result = run(star, config, flows, {.nodes = {dead}});
    EXPECT_EQ(result.finished, 2U);
    EXPECT_TRUE(result.completion[0] && result.completion[3]);
    EXPECT_EQ(result.undelivered,
              (std::vector<std::string>{"h1 to h2: no path is left, s0-h2 is down forever",
                                        "h2 to h3: no path is left, h2-s0 is down forever"}));
  }
}

TEST(PacketFaults, LossesComeAtTheirRateAndAreMendedByEveryTransport) {
  const Topology star = topology::star({.hosts = 2});
  const std::vector<FlowSpec> long_flow{{.from = Rank{0}, .to = Rank{1}, .size = Bytes{40'000'000}}};
  for (PacketConfig config : {PacketConfig{}, ndp(), roce(), dlrm_study_dctcp()}) {
    const PacketRun result = run(star, config, long_flow, {.links = {losing("h0-s0", 0.01)}});
    EXPECT_EQ(result.finished, 1U);
    EXPECT_EQ(result.statistics.delivered, 40'000'000_B);
    const auto sent = static_cast<double>(result.statistics.data_packets);
    EXPECT_GT(static_cast<double>(result.statistics.lost), 0.008 * sent);
    EXPECT_LT(static_cast<double>(result.statistics.lost), 0.045 * sent);  // both ways, and NDP answers twice
    EXPECT_EQ(result.digest, run(star, config, long_flow, {.links = {losing("h0-s0", 0.01)}}).digest);
  }
}

TEST(PacketFaults, BitErrorsSpoilPackets) {
  const Topology star = topology::star({.hosts = 2});
  LinkFault noisy = cable("h0-s0");
  noisy.bit_errors = 1e-6;
  const PacketRun result = run(star, {}, kOneFlow, {.links = {noisy}});
  EXPECT_EQ(result.finished, 1U);
  EXPECT_GT(result.statistics.corrupted, 1U);  // of 700 packets, 1 % each
  EXPECT_EQ(result.statistics.corrupted, result.statistics.lost);
}

TEST(PacketFaults, AFaultOffThePathChangesNoTime) {
  const Topology tree = topology::fat_tree({.k = 4});
  const auto flows = all_to_all(4, 100'000_B);  // in the first pod
  const PacketRun healthy = run(tree, {}, flows, {});
  const PacketRun elsewhere = run(tree, {}, flows, {.links = {cable("s6-s15", 1us)}});
  EXPECT_EQ(elsewhere.completion, healthy.completion);
  EXPECT_EQ(elsewhere.digest, healthy.digest);
}

TEST(PacketFaults, TheNetworkOfASimulationStopsWaitingForWhatCannotArrive) {
  sim::EventQueue events;
  PacketNetwork network(topology::star({.hosts = 3}), {}, events, {.links = {cable("h2-s0", 5us)}});
  int delivered = 0;
  network.send({.from = Rank{0}, .to = Rank{1}, .size = 1_MiB}, [&] { ++delivered; });
  network.send({.from = Rank{0}, .to = Rank{2}, .size = 1_MiB}, [&] { ADD_FAILURE(); });
  events.run();
  EXPECT_EQ(delivered, 1);
  EXPECT_EQ(network.record().undelivered,
            (std::vector<std::string>{"h0 to h2: no path is left, s0-h2 is down forever"}));
  EXPECT_EQ(network.record().count("faults"), 1U);
}

TEST(PacketFaults, WhatCannotRecoverIsRefused) {
  const Topology star = topology::star({.hosts = 2});
  PacketConfig plain = roce();
  plain.transport = kTransport<PlainConfig>;
  EXPECT_THROW(run(star, plain, kOneFlow, {.links = {cable("h0-s0")}}), UserError);
  PacketConfig threads;
  threads.threads = 2;
  EXPECT_THROW(run(star, threads, kOneFlow, {.links = {cable("h0-s0")}}), UserError);
}

// ---- random networks, random faults

Faults draw_faults(RandomStream& random, const topology::Graph& graph) {
  Faults faults{.seed = random(),
                .detection = Duration{static_cast<std::int64_t>(random.below(300'000'000))}};
  const auto time = [&](FaultTime& fault) {
    fault.from = Duration{static_cast<std::int64_t>(random.below(4) == 0 ? 0 : random.below(200'000'000))};
    if (random.below(4) != 0)
      fault.until = fault.from + Duration{1 + static_cast<std::int64_t>(random.below(30'000'000'000))};
  };
  for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
    LinkFault fault;
    const topology::Link& link = graph.links()[random.below(graph.links().size())];
    fault.between = node_name(graph, link.from) + "-" + node_name(graph, link.to);
    if (random.below(3) == 0) fault.loss = 0.2 * random.unit();
    if (random.below(4) == 0) fault.bit_errors = 1e-5 * random.unit();
    time(fault);
    faults.links.push_back(fault);
  }
  if (random.below(3) == 0) {
    SwitchFault fault;
    fault.name =
        node_name(graph, graph.hosts() + static_cast<int>(random.below(graph.nodes() - graph.hosts())));
    time(fault);
    faults.switches.push_back(fault);
  }
  return faults;
}

PacketConfig draw_any(RandomStream& random) {
  switch (random.below(5)) {
    case 0: return ndp();
    case 1: return roce();
    case 2: return draw_htsim_dctcp(random);
    default: return draw_tcp(random);
  }
}

TEST(PacketFaults, InRandomNetworksEveryByteArrivesOnceOrTheRunSaysWhichDoesNot) {
  PacketStatistics total;
  std::size_t undelivered = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    RandomStream random = RandomStreams(seed).make("faults");
    const Topology topology = draw_topology(random);
    PacketConfig config = draw_any(random);
    const std::vector<FlowSpec> all = draw_flows(random, topology.graph.hosts());
    const std::vector<FlowSpec> flows(all.begin(), all.begin() + 30);
    const Faults faults = draw_faults(random, topology.graph);
    const PacketRun result = run(topology, config, flows, faults);
    EXPECT_EQ(result.finished + result.undelivered.size(), flows.size()) << "seed " << seed;
    Bytes sent;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i].from != flows[i].to && result.completion[i]) sent += std::max(flows[i].size, 1_B);
    }
    EXPECT_GE(result.statistics.delivered, sent) << "seed " << seed;
    EXPECT_TRUE(!result.undelivered.empty() || result.statistics.delivered == sent) << "seed " << seed;
    EXPECT_EQ(run(topology, config, flows, faults).digest, result.digest) << "seed " << seed;
    undelivered += result.undelivered.size();
    total.lost += result.statistics.lost;
    total.corrupted += result.statistics.corrupted;
    total.reroutes += result.statistics.reroutes;
  }
  // The draws are harsh enough to mean something.
  EXPECT_GT(total.lost, 10'000U);
  EXPECT_GT(total.corrupted, 100U);
  EXPECT_GT(total.reroutes, 1'000U);
  EXPECT_GT(undelivered, 50U);
}

}  // namespace
}  // namespace overture::network::packet
