#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing_seeds.h"
#include "overture/network/flow/flow_network.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::flow {
namespace {

using namespace literals;
using namespace std::chrono_literals;

// 100 Gbps and no delay: 12.5 kB take 1 us.
const topology::Wire kWire{.rate = 100_Gbps, .delay = Duration{}};

LinkFault cable(const std::string& between, Duration from = {}, std::optional<Duration> until = {}) {
  LinkFault fault;
  fault.between = between;
  fault.from = from;
  fault.until = until;
  return fault;
}

struct Sender {
  Sender(topology::Topology topology, const Faults& faults, FlowConfig config = {})
      : network(std::move(topology), config, events, faults) {}
  void send(int from, int to, Bytes size) {
    const std::size_t i = ends.size();
    ends.push_back(Time::max());
    network.send({.from = Rank{from}, .to = Rank{to}, .size = size}, [this, i] { ends[i] = events.now(); });
  }

  sim::EventQueue events;
  FlowNetwork network;
  std::vector<Time> ends;
};

TEST(FlowFaults, AFlowStandsStillWhileItsCableIsDown) {
  Sender sender(topology::star({.hosts = 2, .wire = kWire}), {.links = {cable("h1-s0", 4us, 9us)}});
  sender.send(0, 1, 125'000_B);
  sender.events.run();
  EXPECT_EQ(sender.ends[0], Time{15us});  // 10 us of sending, 5 us in the dark
}

TEST(FlowFaults, ALinkThatLosesATenthCarriesNineTenths) {
  LinkFault losing = cable("h1-s0");
  losing.loss = 0.1;
  Sender sender(topology::star({.hosts = 2, .wire = kWire}), {.links = {losing}});
  sender.send(0, 1, 112'500_B);
  sender.events.run();
  EXPECT_EQ(sender.ends[0], Time{10us});
}

TEST(FlowFaults, OnceKnownAFaultIsGoneAround) {
  // Two leaves with two spines, s2 and s3. By destination 3 the flow takes s3.
  const topology::LeafSpineConfig shape{
      .leaves = 2, .hosts_per_leaf = 2, .spines = 2, .host = kWire, .spine = kWire};
  FlowConfig config;
  config.paths = topology::PathRule::by_destination;
  Sender sender(topology::leaf_spine(shape), {.detection = 3us, .links = {cable("s0-s3", 4us)}}, config);
  sender.send(0, 3, 125'000_B);
  sender.events.run();
  EXPECT_EQ(sender.ends[0], Time{13us});  // 4 us, 3 us until it is known, then the other 6 us over s2
  EXPECT_EQ(sender.network.record().count("reroutes"), 1U);
  EXPECT_EQ(sender.network.record().delivered, 125'000_B);
  EXPECT_TRUE(sender.network.record().undelivered.empty());
}

TEST(FlowFaults, WhatIsLeftIsShared) {
  // Two flows of the same leaf, sprayed over both spines, at 100 Gbps each; then over one, at 50 each.
  const topology::LeafSpineConfig shape{
      .leaves = 2, .hosts_per_leaf = 2, .spines = 2, .host = kWire, .spine = kWire};
  SwitchFault spine;
  spine.name = "s3";
  spine.from = 5us;
  Sender sender(topology::leaf_spine(shape), {.detection = 0us, .switches = {spine}});
  sender.send(0, 2, 125'000_B);
  sender.send(1, 3, 125'000_B);
  sender.events.run();
  EXPECT_EQ(sender.ends[0], Time{15us});
  EXPECT_EQ(sender.ends[1], Time{15us});
}

TEST(FlowFaults, AMessageWithoutAPathIsToldAndTheOthersArrive) {
  NodeFault dead;
  dead.node = 2;
  dead.dies = true;
  dead.from = 1us;
  Sender sender(topology::star({.hosts = 3, .wire = kWire}), {.nodes = {dead}});
  sender.send(0, 1, 125'000_B);
  sender.send(1, 2, 125'000_B);
  sender.send(1, 2, 1_B);
  sender.events.run();
  EXPECT_NE(sender.ends[0], Time::max());
  EXPECT_EQ(sender.ends[1], Time::max());
  EXPECT_EQ(sender.network.record().undelivered.size(), 2U);
  EXPECT_EQ(sender.network.record().undelivered[0], "h1 to h2: no path is left");
}

TEST(FlowFaults, AWatchedNetworkEndsThoughNothingCanBeDelivered) {
  SwitchFault only;
  only.name = "s0";
  only.from = 4us;
  Sender sender(topology::star({.hosts = 2, .wire = kWire}), {.switches = {only}});
  sender.network.watch({.interval = 1us});
  sender.send(0, 1, 125'000_B);
  sender.events.run();
  EXPECT_LT(sender.events.now(), Time{2ms});  // the fault is known after 1 ms
  const NetworkRecord record = sender.network.record();
  EXPECT_EQ(record.undelivered.size(), 1U);
  EXPECT_EQ(record.links[0].total.carried, 50'000_B);  // 4 of 10 us
}

// ---- random networks, random faults

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(RandomStreams(seed).make("flow faults")), seed_(seed) {}

  std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most)));
  }
  topology::Topology topology() {
    switch (below(3)) {
      case 0: return topology::leaf_spine({.leaves = 4, .hosts_per_leaf = 4, .spines = 3});
      case 1: return topology::torus({.sizes = {4, 4}});
      default: return topology::fat_tree({.k = 4});
    }
  }
  FlowConfig config() {
    FlowConfig config;
    config.paths = static_cast<topology::PathRule>(below(3));
    config.connections = below(2) == 0 ? ConnectionUse::per_pair : ConnectionUse::per_message;
    return config;
  }
  Faults faults(const topology::Graph& graph) {
    Faults faults{.seed = seed_, .detection = Duration{below(50'000'000)}};
    for (int i = 0; i < 6; ++i) faults.links.push_back(link(graph));
    if (graph.nodes() > graph.hosts() && below(3) == 0) {
      SwitchFault fault;
      fault.name = node_name(graph, graph.hosts() + static_cast<int>(below(graph.nodes() - graph.hosts())));
      time(fault);
      faults.switches.push_back(fault);
    }
    if (below(6) == 0) {
      NodeFault fault;
      fault.node = static_cast<int>(below(graph.hosts()));
      fault.dies = true;
      time(fault);
      faults.nodes.push_back(fault);
    }
    return faults;
  }

 private:
  void time(FaultTime& fault) {
    fault.from = Duration{below(4) == 0 ? 0 : below(100'000'000)};
    if (below(2) == 0) fault.until = fault.from + Duration{1 + below(200'000'000)};
  }
  LinkFault link(const topology::Graph& graph) {
    const topology::Link& link = graph.links()[static_cast<std::size_t>(below(std::ssize(graph.links())))];
    LinkFault fault = cable(node_name(graph, link.from) + "-" + node_name(graph, link.to));
    time(fault);
    if (below(4) == 0) fault.loss = random_.unit() / 2;
    return fault;
  }

  RandomStream random_;
  std::uint64_t seed_;
};

// What the messages of a seed come to: when each arrived, and what the network says of them all.
struct Outcome {
  Bytes sent;
  std::vector<Time> ends;
  NetworkRecord record;
};

Outcome outcome_of(std::uint64_t seed) {
  Draws draws(seed);
  topology::Topology made = draws.topology();
  const Faults faults = draws.faults(made.graph);
  const int hosts = made.graph.hosts();
  Sender sender(std::move(made), faults, draws.config());
  Bytes sent;
  for (int i = 0; i < 20; ++i) {
    const auto from = static_cast<int>(draws.below(hosts));
    const Bytes size{1 + draws.below(500'000)};
    sender.send(from, (from + 1 + static_cast<int>(draws.below(hosts - 1))) % hosts, size);
    sent += size;
  }
  sender.events.run();
  return {sent, sender.ends, sender.network.record()};
}

TEST(FlowFaults, InRandomNetworksEveryMessageArrivesOnceOrIsTold) {
  std::uint64_t reroutes = 0;
  std::size_t undelivered = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    const Outcome outcome = outcome_of(seed);
    const auto lost = static_cast<std::size_t>(std::ranges::count(outcome.ends, Time::max()));
    EXPECT_EQ(outcome.record.undelivered.size(), lost) << "seed " << seed;
    EXPECT_TRUE(lost > 0 || outcome.record.delivered == outcome.sent) << "seed " << seed;
    EXPECT_LE(outcome.record.delivered, outcome.sent) << "seed " << seed;
    EXPECT_EQ(outcome_of(seed).ends, outcome.ends) << "seed " << seed;
    reroutes += outcome.record.count("reroutes");
    undelivered += lost;
  }
  EXPECT_GT(reroutes, 100U);
  EXPECT_GT(undelivered, 50U);
}

}  // namespace
}  // namespace overture::network::flow
