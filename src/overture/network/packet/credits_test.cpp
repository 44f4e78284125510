// Networks with credits and virtual channels: tori above all.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/engine.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::Topology;

// The least of everything: each channel holds one packet, each class has one channel.
PacketConfig scarce() {
  PacketConfig config = plain_credits();
  config.lossless.credits.channels = 1;
  config.lossless.credits.buffer_flits = 4;
  return config;
}

TEST(Credits, NoTorusLocksUp) {
  const std::vector<std::vector<int>> shapes{{2},    {3},    {8},       {2, 2},    {3, 3},
                                             {5, 4}, {1, 7}, {3, 1, 4}, {3, 4, 5}, {2, 3, 2}};
  for (const std::vector<int>& sizes : shapes) {
    const Topology torus = topology::torus({.sizes = sizes});
    for (const topology::PathRule rule : {topology::PathRule::by_destination, topology::PathRule::spray}) {
      PacketConfig config = scarce();
      config.paths = rule;
      const int hosts = torus.graph.hosts();
      const PacketRun result = run_flows(torus, config, all_to_all(hosts, 8_KiB));
      EXPECT_EQ(result.finished, static_cast<std::size_t>(hosts * (hosts - 1)))
          << sizes.size() << ' ' << hosts;
      EXPECT_EQ(result.statistics.delivered, 8_KiB * hosts * (hosts - 1));
      EXPECT_EQ(result.statistics.drops, 0);
    }
  }
}

// The same rings with PFC, which has no classes: they wait for each other for ever. It shows what datelines
// are for, and that this traffic is enough to need them.
TEST(Credits, WithoutDatelinesTheSameRingLocksUp) {
  PacketConfig config = plain_credits();
  config.lossless.control = LinkControl::pfc;
  config.lossless.pfc.xoff = 1_KiB;
  const Topology ring = topology::torus({.sizes = {8}});
  const std::vector<FlowSpec> flows = all_to_all(8, 256_KiB);
  EXPECT_LT(run_flows(ring, config, flows).finished, flows.size());
  EXPECT_EQ(run_flows(ring, scarce(), flows).finished, flows.size());
}

TEST(Credits, DeliversEveryByteOnceAndDropsNothing) {
  std::uint64_t stops = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random = RandomStreams(seed).make("credits properties");
    const Topology topology = draw_topology(random);
    PacketConfig config = plain_credits();
    config.seed = random();
    config.lossless.credits.flit = Bytes{16 + static_cast<std::int64_t>(random.below(200))};
    config.lossless.credits.buffer_flits = 64;
    config.lossless.credits.channels = 1 + static_cast<int>(random.below(8));
    config.lossless.credits.router_delay = Duration{static_cast<std::int64_t>(random.below(50'000))};
    config.plain.payload = Bytes{200 + static_cast<std::int64_t>(random.below(800))};
    config.paths = static_cast<topology::PathRule>(random.below(3));
    if (random.below(3) == 0) {
      config.transport = TransportKind::roce;
      config.paths = topology::PathRule::hash_per_flow;
      config.roce.payload = Bytes{900};
    }
    const std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
    const PacketRun result = run_flows(topology, config, flows);
    Bytes sent{0};
    for (std::size_t i = 0; i < flows.size(); ++i) {
      ASSERT_TRUE(result.completion[i]) << "seed " << seed << " flow " << i;
      if (flows[i].from == flows[i].to) continue;
      sent += flows[i].size;
      const auto links =
          path(topology, index(flows[i].from), index(flows[i].to), topology::Pick::by_destination());
      Duration wires{};
      for (const int link : links) wires += topology.graph.links()[link].wire.delay;
      const topology::Wire& last = topology.graph.links()[links.back()].wire;
      EXPECT_GE(*result.completion[i], wires + transfer_time(flows[i].size, last.rate)) << "seed " << seed;
    }
    EXPECT_EQ(result.statistics.delivered, sent) << "seed " << seed;
    EXPECT_EQ(result.statistics.drops, 0) << "seed " << seed;
    EXPECT_EQ(run_flows(topology, config, flows).digest, result.digest) << "seed " << seed;
    stops += result.statistics.pauses;
  }
  EXPECT_GT(stops, 10'000);
}

// Every flit by itself over a row of links with room enough: it leaves when the one before it has and when it
// is through the router.
Duration flit_by_flit(const std::vector<topology::Wire>& wires, Duration router, Bytes flit, int flits) {
  std::vector<Duration> in(static_cast<std::size_t>(flits), Duration::zero());
  for (std::size_t hop = 0; hop < wires.size(); ++hop) {
    Duration left{};
    for (Duration& time : in) {
      left = std::max(left, time + (hop == 0 ? Duration::zero() : router)) +
             transfer_time(flit, wires[hop].rate);
      time = left + wires[hop].delay;
    }
  }
  return in.back();
}

// What credits.cpp claims: without an event per flit the outcome is the same.
TEST(Credits, CutThroughIsWhatFlitsDoOneByOne) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random = RandomStreams(seed).make("flits");
    // Rates at which a flit takes whole picoseconds: rounding up, flits of one packet would differ from it.
    const std::vector<Bandwidth> rates{10_Gbps, 25_Gbps, 40_Gbps, 100_Gbps, 160_Gbps, 200_Gbps};
    const topology::Wire ring{.rate = rates[random.below(rates.size())],
                              .delay = Duration{static_cast<std::int64_t>(random.below(500'000))},
                              .tier = 1};
    const topology::Wire local{.rate = ring.rate * (std::int64_t{1} << random.below(4)),
                               .delay = Duration{static_cast<std::int64_t>(random.below(10'000))}};
    PacketConfig config = plain_credits();
    CreditConfig& credits = config.lossless.credits;
    credits.router_delay = Duration{static_cast<std::int64_t>(random.below(20'000))};
    credits.channels = 1'024;
    const int per_packet = 1 + static_cast<int>(random.below(8));
    config.plain.payload = credits.flit * per_packet;
    const int packets = 1 + static_cast<int>(random.below(20));
    const int hops = 1 + static_cast<int>(random.below(4));
    const PacketRun result =
        run_flows(topology::torus({.sizes = {9}, .ring = ring, .local = local}), config,
                  {{.from = Rank{0}, .to = Rank{hops}, .size = config.plain.payload * packets}});
    std::vector<topology::Wire> wires(static_cast<std::size_t>(hops), ring);
    wires.insert(wires.begin(), local);
    wires.push_back(local);
    EXPECT_EQ(result.completion[0],
              flit_by_flit(wires, credits.router_delay, credits.flit, packets * per_packet))
        << "seed " << seed;
  }
}

// A channel is taken for its packet's time and for the way there and back; a ring with too few of them is
// slow.
TEST(Credits, OneChannelCarriesOnePacketPerRoundTrip) {
  const Topology ring = topology::torus({.sizes = {4}});
  const FlowSpec flow{.from = Rank{0}, .to = Rank{1}, .size = 512_KiB};
  PacketConfig config = scarce();
  const Duration slow = run_flows(ring, config, {flow}).completion[0].value();
  config.lossless.credits.channels = 4;
  const Duration faster = run_flows(ring, config, {flow}).completion[0].value();
  config.lossless.credits.channels = 64;
  const Duration fast = run_flows(ring, config, {flow}).completion[0].value();
  // 512 B at 200 Gbps take 20.48 ns. The first flit is at the next router after 5.12 ns + 100 ns + 1 ns; the
  // last one has left it at 20.48 ns + 100 ns + 1 ns + 128 ps, and the credit is back 100 ns later.
  const Duration turn = 20'480_ps + 100ns + 1ns + 128_ps + 100ns;
  EXPECT_NEAR(static_cast<double>(slow / turn), 1'024, 2);
  EXPECT_NEAR(static_cast<double>(slow.count()) / static_cast<double>(faster.count()), 4, 0.02);
  EXPECT_LT(fast, 1'024 * 20'480_ps + 300ns);
}

TEST(Credits, ABusyLinkNeverRests) {
  const Topology ring = topology::torus({.sizes = {5}});
  PacketConfig config = plain_credits();
  config.lossless.credits.channels = 64;
  // Hosts 4 and 0 send over the link from router 0 to router 1.
  const PacketRun result = run_flows(
      ring, config,
      {{.from = Rank{4}, .to = Rank{1}, .size = 1_MiB}, {.from = Rank{0}, .to = Rank{1}, .size = 1_MiB}});
  const Duration ideal = transfer_time(2_MiB, 200_Gbps);
  EXPECT_LT(result.makespan, ideal + 500ns);
}

TEST(Credits, HostsInjectAsFastAsTheyAreTold) {
  PacketConfig config = plain_credits();
  config.plain.inject = 50_Gbps;
  const Duration fct =
      run_flows(topology::torus({.sizes = {4}}), config, {{.from = Rank{0}, .to = Rank{1}, .size = 1_MiB}})
          .completion[0]
          .value();
  EXPECT_GT(fct, transfer_time(1_MiB - Bytes{512}, 50_Gbps));
  EXPECT_LT(fct, transfer_time(1_MiB, 50_Gbps) + 300ns);
}

TEST(Credits, AStoppedRunGoesOnAsIfNothingHadHappened) {
  const Topology torus = topology::torus({.sizes = {3, 4}});
  const auto digest = [&](std::int64_t step) {
    Engine engine(torus, scarce(), Pause::when_idle);
    for (const FlowSpec& flow : all_to_all(12, 16_KiB)) {
      engine.post(index(flow.from), index(flow.to), flow.size.count(), 0);
    }
    for (std::int64_t until = step; engine.outstanding() > 0; until += step) engine.run(until);
    return engine.digest();
  };
  const std::uint64_t whole = digest(std::int64_t{1} << 60);
  EXPECT_EQ(digest(100'000), whole);
  EXPECT_EQ(digest(7'777), whole);
}

// Through the Network interface, with something else pending so that the engine cannot run ahead.
TEST(Credits, AsANetworkItGivesTheSameTimes) {
  for (const PacketConfig& config : {plain_credits(), roce()}) {
    const std::vector<FlowSpec> flows = all_to_all(9, 20_KiB);
    const PacketRun alone = run_flows(topology::torus({.sizes = {3, 3}}), config, flows);
    sim::EventQueue events;
    PacketNetwork network(topology::torus({.sizes = {3, 3}}), config, events);
    events.at(Time{1s}, [] {});
    std::vector<Duration> times(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
      network.send({.from = flows[i].from, .to = flows[i].to, .size = flows[i].size},
                   [&, i] { times[i] = events.now().time_since_epoch(); });
    }
    events.run();
    for (std::size_t i = 0; i < flows.size(); ++i) EXPECT_EQ(times[i], alone.completion[i]) << i;
    EXPECT_EQ(network.statistics().delivered, 20_KiB * 72);
  }
}

struct PingPong {
  sim::EventQueue events;
  PacketNetwork network;
  std::vector<Time> delivered;

  explicit PingPong(const PacketConfig& config) : network(topology::torus({.sizes = {4}}), config, events) {}

  void play(int from) {
    network.send({.from = Rank{from}, .to = Rank{1 - from}, .size = 3_KiB}, [this, from] {
      delivered.push_back(events.now());
      if (delivered.size() < 100) play(1 - from);
    });
  }
};

// A message's place is used again, here by the answer to it.
TEST(Credits, PingPongTakesTheSameTimeEachRound) {
  for (const PacketConfig& config : {plain_credits(), roce()}) {
    PingPong game(config);
    game.play(0);
    game.events.run();
    ASSERT_EQ(game.delivered.size(), 100);
    const Duration once = game.delivered[0].time_since_epoch();
    EXPECT_GE(game.delivered[99].time_since_epoch(), 100 * once);
    // An answer may wait for the ACK that was sent just before it, on each of its three links.
    EXPECT_LE(game.delivered[99].time_since_epoch(), 100 * (once + 3 * transfer_time(Bytes{66}, 200_Gbps)));
  }
}

TEST(Credits, RefusesWhatCannotWork) {
  const Topology ring = topology::torus({.sizes = {4}});
  const auto refused = [&](auto change) {
    PacketConfig config = plain_credits();
    change(config);
    EXPECT_THROW(run_flows(ring, config, {}), UserError);
  };
  refused([](PacketConfig& c) { c.lossless.credits.buffer_flits = 3; });  // a packet has four
  refused([](PacketConfig& c) { c.lossless.credits.channels = 0; });
  refused([](PacketConfig& c) { c.lossless.credits.flit = 0_B; });
  refused([](PacketConfig& c) { c.lossless.credits.router_delay = -1ns; });
  refused([](PacketConfig& c) { c.lossless.small_first = {1_KiB}; });
  refused([](PacketConfig& c) { c.plain.inject = 0_Gbps; });
}

}  // namespace
}  // namespace overture::network::packet
