// Any topology as routers with credits: packets take the topology's paths, no set of packets can wait for
// each other on a torus, and credits are neither lost nor made.
#include "overture/network/garnet/graph_fabric.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/network/garnet/skipping_engine.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::garnet {
namespace {

using namespace literals;
using topology::Pick;
using topology::Topology;

std::vector<Topology> examples() {
  std::vector<Topology> all;
  all.push_back(topology::star({.hosts = 5}));
  all.push_back(topology::fat_tree({.k = 4}));
  all.push_back(topology::leaf_spine({.leaves = 3, .hosts_per_leaf = 2, .spines = 2}));
  all.push_back(topology::torus({.sizes = {5}}));
  all.push_back(topology::torus({.sizes = {4, 3}}));
  all.push_back(topology::torus({.sizes = {2, 2, 3}}));
  all.push_back(topology::torus({.sizes = {4, 4}, .rings = {2, 1}}));
  all.push_back(
      topology::hierarchical_switch({.gpus_per_node = 2, .nics_per_node = 2}, topology::star({.hosts = 4})));
  return all;
}

GraphTiming timing_of(const Topology& topology) { return {topology.graph, Bytes{128}, 1ns}; }

struct Step {
  int channel;
  int vnet;

  friend auto operator<=>(const Step&, const Step&) = default;
};

// The channels of a packet's way, with the vnet that it has on each.
std::vector<Step> way(GraphFabric& fabric, int from, int to, const Pick& pick) {
  const int lane = fabric.choose_way(0, from, to, pick);
  std::vector<Step> steps{{fabric.injection(from, lane), 0}};
  while (!fabric.channels()[static_cast<std::size_t>(steps.back().channel)].to_rank) {
    const Channel& came = fabric.channels()[static_cast<std::size_t>(steps.back().channel)];
    const Hop hop = fabric.next(came, 0, to, steps.back().vnet);
    steps.push_back({hop.channel, hop.vnet});
    EXPECT_LE(steps.size(), fabric.channels().size());
  }
  return steps;
}

template <class Check>
void for_each_way(const Topology& topology, GraphFabric& fabric, Check check) {
  for (int from = 0; from < topology.graph.hosts(); ++from) {
    for (int to = 0; to < topology.graph.hosts(); ++to) {
      if (from == to) continue;
      for (const Pick& pick : {Pick::by_destination(), Pick::by_hash(1), Pick::by_hash(2), Pick::by_hash(3)})
        check(way(fabric, from, to, pick), path(topology, from, to, pick));
    }
  }
}

TEST(GraphFabric, APacketTakesTheTopologysPath) {
  for (const Topology& topology : examples()) {
    GraphFabric fabric(topology, timing_of(topology), {});
    for_each_way(topology, fabric, [&](const std::vector<Step>& steps, const std::vector<int>& links) {
      std::vector<int> ours;
      for (const Step& step : steps) ours.push_back(fabric.link_of(step.channel));
      ASSERT_EQ(ours, links);
    });
  }
}

TEST(GraphFabric, OnlyATorusHasTwoVnets) {
  for (const Topology& topology : examples()) {
    const bool torus = topology.graph.nodes() == 2 * topology.graph.hosts();
    EXPECT_EQ(GraphFabric(topology, timing_of(topology), {}).vnets(), torus ? 2 : 1);
  }
}

// Dally and Seitz (1987): no deadlock if the graph of who waits for whom has no cycle.
TEST(GraphFabric, NobodyWaitsForEachOtherInACircle) {
  for (const Topology& topology : examples()) {
    GraphFabric fabric(topology, timing_of(topology), {});
    std::map<Step, std::set<Step>> waits_for;
    for_each_way(topology, fabric, [&](const std::vector<Step>& steps, const std::vector<int>&) {
      for (std::size_t i = 0; i + 1 < steps.size(); ++i) waits_for[steps[i]].insert(steps[i + 1]);
    });
    // What waits for nobody is taken away until nothing is left.
    for (bool progress = true; progress && !waits_for.empty();) {
      progress = false;
      for (auto at = waits_for.begin(); at != waits_for.end();) {
        std::erase_if(at->second, [&](const Step& next) { return !waits_for.contains(next); });
        progress = progress || at->second.empty();
        at = at->second.empty() ? waits_for.erase(at) : std::next(at);
      }
    }
    EXPECT_TRUE(waits_for.empty()) << topology.graph.hosts() << " hosts";
  }
}

TEST(GraphFabric, EveryLinkIsAChannelWithTheWiresTimes) {
  const Topology topology = topology::torus({.sizes = {4, 3}});
  const GraphTiming timing = timing_of(topology);
  GraphFabric fabric(topology, timing, {.channels = 3, .buffer_flits = 5});
  ASSERT_EQ(fabric.channels().size(), topology.graph.links().size());
  for (std::size_t c = 0; c < fabric.channels().size(); ++c) {
    const Channel& channel = fabric.channels()[c];
    const topology::Link& link =
        topology.graph.links()[static_cast<std::size_t>(fabric.link_of(static_cast<int>(c)))];
    EXPECT_EQ(channel.from_rank, topology.graph.is_host(link.from));
    EXPECT_EQ(channel.to_rank, topology.graph.is_host(link.to));
    EXPECT_EQ(channel.wire.parts, timing.cycles(transfer_time(timing.flit, link.wire.rate)));
    EXPECT_EQ(channel.wire.latency, timing.cycles(link.wire.delay));
    EXPECT_EQ(channel.credits, std::vector<std::int32_t>(6, 5))
        << "three channels of two vnets, five flits each";
  }
}

TEST(GraphFabric, HostsThatAreJoinedDirectlyAreRefused) {
  std::vector<topology::Link> links;
  topology::connect(links, 0, 1, {.rate = 100_Gbps});
  struct Straight final : topology::Routing {
    int port(int, int, const Pick&) const override { return 0; }
  };
  const Topology pair{.graph = topology::Graph(2, 0, links, {"wire"}),
                      .routing = std::make_unique<Straight>()};
  const std::string error = user_error([&] { GraphFabric(pair, timing_of(pair), {}); });
  EXPECT_NE(error.find("hosts 0 and 1 are joined directly"), std::string::npos) << error;
  EXPECT_NE(error.find("put a switch between hosts"), std::string::npos);
}

TEST(GraphTiming, AFlitTakesBetween32And64CyclesOnTheSlowestLink) {
  RandomStream random(1, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const topology::Wire slow{.rate = Bandwidth::bits_per_second(
                                  static_cast<std::int64_t>(1'000'000 + random.below(400'000'000'000)))};
    const Topology star = topology::star({.hosts = 2, .wire = slow});
    const GraphTiming timing(star.graph, Bytes{static_cast<std::int64_t>(64 + random.below(400))}, {});
    const Duration flit = transfer_time(timing.flit, slow.rate);
    const int cycles = timing.cycles(flit);
    if (flit < Duration{64}) continue;
    EXPECT_GE(cycles, 32) << flit.count();
    EXPECT_LE(cycles, 66) << flit.count();
    EXPECT_GE(timing.cycle * cycles, flit) << "rounded up";
  }
}

// 128 bytes at 200 Gbps take 5,120 ps: 64 cycles of 80 ps.
TEST(GraphTiming, ARoundNumberIsDividedWithoutRest) {
  const GraphTiming timing = timing_of(topology::torus({.sizes = {4}}));
  EXPECT_EQ(timing.cycle, 80_ps);
  EXPECT_EQ(timing.cycles(5'120_ps), 64);
  EXPECT_EQ(timing.cycles(5'121_ps), 65);
  EXPECT_EQ(timing.cycles(0_ps), 0);
}

// ---- credits

void expect_sound(const GarnetEngine& engine, int buffer_flits) {
  for (const Channel& channel : engine.channels()) {
    for (const std::int32_t credits : channel.credits) {
      ASSERT_GE(credits, 0);
      ASSERT_LE(credits, buffer_flits);
    }
    for (const Buffer& buffer : channel.buffers) ASSERT_LE(buffer.held, buffer_flits);
  }
}

TEST(Credits, AreNeverNegativeAndAllComeBack) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 0);
    std::vector<Topology> all = examples();
    const Topology& topology = all[random.below(all.size())];
    const int buffer_flits = 1 + static_cast<int>(random.below(4));
    const int vcs = 1 + static_cast<int>(random.below(3));
    auto fabric = std::make_unique<GraphFabric>(
        topology, timing_of(topology), GraphFabric::Settings{.channels = vcs, .buffer_flits = buffer_flits});
    GraphFabric& ways = *fabric;
    std::map<int, std::int64_t> tails;
    SkippingEngine engine(std::move(fabric),
                          {.flits_per_packet = 1 + static_cast<int>(random.below(4)), .sleepy = false},
                          [&](std::int32_t message) { ++tails[message]; });
    std::map<int, std::int64_t> packets;
    const auto hosts = static_cast<std::uint64_t>(topology.graph.hosts());
    for (std::int32_t message = 0; message < 60; ++message) {
      const int from = static_cast<int>(random.below(hosts));
      const int to =
          static_cast<int>((static_cast<std::uint64_t>(from) + 1 + random.below(hosts - 1)) % hosts);
      packets[message] = static_cast<std::int64_t>(1 + random.below(6));
      engine.send(message, from, to, ways.choose_way(message, from, to, Pick::by_hash(random())),
                  {.packets = packets[message]});
    }
    for (Cycle now = engine.next(); now != kNone; now = engine.next()) {
      engine.run(now);
      expect_sound(engine, buffer_flits);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(tails, packets) << "every packet's tail once";
    for (std::size_t c = 0; c < engine.channels().size(); ++c) {
      const Channel& channel = engine.channels()[c];
      EXPECT_TRUE(channel.flits.empty());
      EXPECT_TRUE(channel.returned.empty());
      for (const std::int32_t credits : channel.credits) EXPECT_EQ(credits, buffer_flits);
      for (int vc = channel.first_vc; vc < channel.first_vc + static_cast<int>(channel.credits.size()); ++vc)
        EXPECT_TRUE(channel.is_idle(vc));
    }
  }
}

}  // namespace
}  // namespace overture::network::garnet
