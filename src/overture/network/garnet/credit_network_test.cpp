// Links with credits on any topology: tori above all.
#include "overture/network/garnet/credit_network.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::garnet {
namespace {

using namespace literals;
using topology::Topology;

// The least of everything: each channel holds one flit, each class has one channel.
CreditNetworkConfig scarce() { return {.buffer_flits = 1, .channels = 1}; }

CreditNetworkConfig plenty() { return {.buffer_flits = 64, .channels = 64, .router_delay = 1ns}; }

std::vector<FlowSpec> everybody_to_everybody(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < hosts; ++i) {
    for (int step = 1; step < hosts; ++step)
      flows.push_back({.from = Rank{i}, .to = Rank{(i + step) % hosts}, .size = size});
  }
  return flows;
}

struct Played {
  FlowTimes times;
  NetworkRecord record;
  Duration cycle;
};

Played play(Topology topology, const CreditNetworkConfig& config, const std::vector<FlowSpec>& flows,
            bool watched = false) {
  sim::EventQueue events;
  CreditNetwork network(std::move(topology), config, events);
  if (watched) network.watch({});
  FlowTimes times = play_flows(network, events, flows);
  return {std::move(times), network.record(), network.cycle()};
}

TEST(CreditNetwork, NoTorusLocksUp) {
  const std::vector<std::vector<int>> shapes{{2}, {3}, {8}, {2, 2}, {5, 4}, {1, 7}, {3, 1, 4}, {2, 3, 2}};
  for (const std::vector<int>& sizes : shapes) {
    for (const auto rule : {topology::PathRule::by_destination, topology::PathRule::spray}) {
      CreditNetworkConfig config = scarce();
      config.paths = rule;
      Topology torus = topology::torus({.sizes = sizes});
      const int hosts = torus.graph.hosts();
      const Played played = play(std::move(torus), config, everybody_to_everybody(hosts, 2_KiB));
      EXPECT_EQ(played.times.finished, static_cast<std::size_t>(hosts * (hosts - 1)))
          << sizes.size() << " dimensions, " << hosts << " hosts";
      EXPECT_EQ(played.record.delivered, 2_KiB * hosts * (hosts - 1));
    }
  }
}

TEST(CreditNetwork, ARunCanBeStoppedInTheMiddleOfAMessage) {
  sim::EventQueue events;
  CreditNetwork network(topology::torus({.sizes = {2, 2}}), plenty(), events);
  int asked = 0;
  const RunLimits limits{.go_on = [&](const RunSoFar&) { return ++asked < 20; }};
  const FlowTimes times =
      play_flows(network, events, {{Rank{0}, Rank{3}, Bytes{std::int64_t{1} << 40}}}, limits);
  EXPECT_EQ(times.finished, 0u);
  EXPECT_EQ(asked, 20);
  EXPECT_FALSE(times.locked);
}

TEST(CreditNetwork, NoTorusOfSeveralRingsLocksUp) {
  for (const auto rule : {topology::PathRule::by_destination, topology::PathRule::spray}) {
    CreditNetworkConfig config = scarce();
    config.paths = rule;
    Topology torus = topology::torus({.sizes = {5, 2, 3}, .rings = {2, 3, 1}});
    const Played played = play(std::move(torus), config, everybody_to_everybody(30, 2_KiB));
    EXPECT_EQ(played.times.finished, 30u * 29u);
    EXPECT_EQ(played.record.delivered, 2_KiB * 30 * 29);
  }
}

// Neighbours send along their ring: twice the rings carry twice as much.
TEST(CreditNetwork, TwoRingsAreTwiceAsFastAsOne) {
  std::vector<FlowSpec> flows;
  for (int host = 0; host < 8; ++host) {
    for (int i = 0; i < 16; ++i)
      flows.push_back({.from = Rank{host}, .to = Rank{(host + 1) % 8}, .size = 64_KiB});
  }
  CreditNetworkConfig config = plenty();
  config.paths = topology::PathRule::spray;
  const Duration one = play(topology::torus({.sizes = {8}}), config, flows).times.makespan;
  const Duration two = play(topology::torus({.sizes = {8}, .rings = {2}}), config, flows).times.makespan;
  // Every packet draws its ring, so that one ring has a little more than half of them.
  EXPECT_GT(to_us(one) / to_us(two), 1.8);
  EXPECT_LE(to_us(one) / to_us(two), 2);
  config.paths = topology::PathRule::by_destination;  // a pair keeps to one ring
  const Duration kept = play(topology::torus({.sizes = {8}, .rings = {2}}), config, flows).times.makespan;
  EXPECT_NEAR(to_us(one) / to_us(kept), 1, 0.02);
}

// A ring of four without a dateline, for comparison: as a graph of which nobody knows that it is a torus.
TEST(CreditNetwork, TheSameRingOfSwitchesWithTwoHostsEachLocksUp) {
  std::vector<topology::Link> links;
  const topology::Wire wire{.rate = 100_Gbps, .delay = 100ns};
  for (int host = 0; host < 8; ++host) topology::connect(links, host, 8 + host / 2, wire);
  for (int s = 0; s < 4; ++s) links.push_back({.from = 8 + s, .to = 8 + (s + 1) % 4, .wire = wire});
  struct OneWay final : topology::Routing {
    int port(int at, int to, const topology::Pick&) const override {
      if (at < 8) return 0;
      return at - 8 == to / 2 ? to % 2 : 2;
    }
  };
  std::vector<FlowSpec> flows;
  for (int host = 0; host < 8; ++host)
    flows.push_back({.from = Rank{host}, .to = Rank{(host + 6) % 8}, .size = 64_KiB});
  const Played played =
      play({.graph = topology::Graph(8, 4, links, {"wire"}), .routing = std::make_unique<OneWay>()}, scarce(),
           flows);
  EXPECT_LT(played.times.finished, flows.size());
  EXPECT_TRUE(played.times.locked);
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

TEST(CreditNetwork, AMessageAloneTakesWhatItsFlitsTakeOneByOne) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random = RandomStreams(seed).make("flits");
    const std::vector<Bandwidth> rates{10_Gbps, 25_Gbps, 40_Gbps, 100_Gbps, 160_Gbps, 200_Gbps};
    const topology::Wire ring{.rate = rates[random.below(rates.size())],
                              .delay = Duration{static_cast<std::int64_t>(random.below(500'000))},
                              .tier = 1};
    const topology::Wire local{.rate = ring.rate * (std::int64_t{1} << random.below(4)),
                               .delay = Duration{static_cast<std::int64_t>(random.below(10'000))}};
    CreditNetworkConfig config = plenty();
    config.channels = 1'024;
    config.router_delay = Duration{static_cast<std::int64_t>(random.below(20'000))};
    const int per_packet = 1 + static_cast<int>(random.below(8));
    config.payload = config.flit * per_packet;
    const int packets = 1 + static_cast<int>(random.below(20));
    const int hops = 1 + static_cast<int>(random.below(4));
    const Played played = play(topology::torus({.sizes = {9}, .ring = ring, .local = local}), config,
                               {{.from = Rank{0}, .to = Rank{hops}, .size = config.payload * packets}});
    std::vector<topology::Wire> wires(static_cast<std::size_t>(hops), ring);
    wires.insert(wires.begin(), local);
    wires.push_back(local);
    const Duration exact = flit_by_flit(wires, config.router_delay, config.flit, packets * per_packet);
    const Duration ours = played.times.completion[0].value();
    // Every delay is rounded up to cycles: of the wires, and of the routers between them.
    EXPECT_GE(ours, exact) << "seed " << seed;
    EXPECT_LT(ours, exact + (2 * hops + 3) * played.cycle) << "seed " << seed;
  }
}

TEST(CreditNetwork, TheLastPacketIsAsLongAsItIs) {
  const auto time = [](Bytes size) {
    return play(topology::torus({.sizes = {2}}), plenty(), {{.from = Rank{0}, .to = Rank{1}, .size = size}})
        .times.makespan;
  };
  EXPECT_EQ(time(513_B) - time(512_B), transfer_time(128_B, 200_Gbps)) << "one flit more";
  EXPECT_EQ(time(1_B), time(128_B));
}

// A channel is taken for its packet's time and for the way there and back; a ring with too few of them is
// slow.
TEST(CreditNetwork, OneChannelCarriesOnePacketPerRoundTrip) {
  const auto time = [](int channels) {
    CreditNetworkConfig config = plenty();
    config.channels = channels;
    return play(topology::torus({.sizes = {4}}), config, {{.from = Rank{0}, .to = Rank{1}, .size = 256_KiB}})
        .times.makespan;
  };
  // 512 B at 200 Gbps take 20.48 ns. The first flit is at the next router after 5.12 ns + 100 ns; its last
  // flit follows 15.36 ns later, leaves 1 ns after that, and the credit is back another 100 ns later.
  const Duration turn = 20'480_ps + 100ns + 1ns + 100ns;
  EXPECT_NEAR(static_cast<double>(time(1).count()) / static_cast<double>(turn.count()), 512, 5);
  EXPECT_NEAR(static_cast<double>(time(1).count()) / static_cast<double>(time(4).count()), 4, 0.05);
  EXPECT_LT(time(64), 512 * 20'480_ps + 300ns);
}

TEST(CreditNetwork, ABusyLinkNeverRests) {
  // Hosts 4 and 0 send over the link from router 0 to router 1.
  const Played played = play(
      topology::torus({.sizes = {5}}), plenty(),
      {{.from = Rank{4}, .to = Rank{1}, .size = 256_KiB}, {.from = Rank{0}, .to = Rank{1}, .size = 256_KiB}});
  EXPECT_LT(played.times.makespan, transfer_time(512_KiB, 200_Gbps) + 500ns);
}

// Short buffers: a packet's flits are spread over several routers, and others wait behind them.
TEST(CreditNetwork, WormholesTakeLongerThanCutThrough) {
  const auto time = [](int flits) {
    CreditNetworkConfig config = plenty();
    config.channels = 4;
    config.buffer_flits = flits;
    return play(topology::torus({.sizes = {4, 4}}), config, everybody_to_everybody(16, 4_KiB)).times.makespan;
  };
  EXPECT_GT(time(1), time(4));
}

TEST(CreditNetwork, DeliversEveryByteOnceOnOtherNetworksTheSameTwice) {
  for (const bool tree : {false, true}) {
    const auto topology = [&] { return tree ? topology::fat_tree({.k = 4}) : topology::star({.hosts = 16}); };
    for (const auto rule :
         {topology::PathRule::by_destination, topology::PathRule::hash_per_flow, topology::PathRule::spray}) {
      CreditNetworkConfig config{.buffer_flits = 4, .channels = 2, .paths = rule};
      const std::vector<FlowSpec> flows = everybody_to_everybody(16, 5_KiB);
      const Played played = play(topology(), config, flows);
      EXPECT_EQ(played.times.finished, flows.size());
      EXPECT_EQ(played.record.delivered, 5_KiB * 16 * 15);
      EXPECT_NE(played.record.digest, 0U);
      EXPECT_EQ(played.record.digest, play(topology(), config, flows, true).record.digest)
          << "and watching changes nothing";
    }
  }
}

TEST(CreditNetwork, WatchedLinksCarryEveryFlitOnEveryLinkOfItsWay) {
  const Played played = play(topology::torus({.sizes = {4}}), plenty(),
                             {{.from = Rank{0}, .to = Rank{2}, .size = 1_KiB}}, true);
  std::int64_t carried = 0;
  for (const NetworkRecord::Link& link : played.record.links) carried += link.total.carried.count();
  EXPECT_EQ(carried, 4 * 1024) << "into the router, two hops, to the host";
  EXPECT_EQ(played.record.count("flits"), 8U);
}

// Somebody else's events do not change when messages arrive.
TEST(CreditNetwork, RunsAheadOnlyAsFarAsNobodyNotices) {
  const std::vector<FlowSpec> flows = everybody_to_everybody(9, 3_KiB);
  const Played alone = play(topology::torus({.sizes = {3, 3}}), plenty(), flows);
  sim::EventQueue events;
  CreditNetwork network(topology::torus({.sizes = {3, 3}}), plenty(), events);
  for (int i = 1; i < 2'000; ++i) events.at(Time{i * 1ns}, [] {});
  std::vector<Duration> times(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    network.send({.from = flows[i].from, .to = flows[i].to, .size = flows[i].size},
                 [&, i] { times[i] = events.now().time_since_epoch(); });
  }
  events.run();
  for (std::size_t i = 0; i < flows.size(); ++i) EXPECT_EQ(times[i], alone.times.completion[i]) << i;
}

}  // namespace
}  // namespace overture::network::garnet
