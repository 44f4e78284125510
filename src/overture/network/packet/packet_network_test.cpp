#include "overture/network/packet/packet_network.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;

struct Bench {
  sim::EventQueue events;
  PacketNetwork network;
  std::vector<Time> delivered;

  explicit Bench(topology::Topology topology, const PacketConfig& config = {})
      : network(std::move(topology), config, events) {}

  void send(int from, int to, Bytes size) {
    network.send({.from = Rank{from}, .to = Rank{to}, .size = size},
                 [this] { delivered.push_back(events.now()); });
  }
};

TEST(PacketNetwork, OneByteTakesTwoWiresAndATick) {
  Bench bench(topology::star({.hosts = 2}));
  bench.send(0, 1, 1_B);
  bench.events.run();
  // 43 B at 80 ps, twice, 500 ns twice, and the 1 ps that the golden data has.
  EXPECT_EQ(bench.delivered, (std::vector{Time{1'006'881_ps}}));
}

// Also across the 100 us in which nothing is sent.
TEST(PacketNetwork, WatchedLinksChangeNothingAndAddUp) {
  std::vector<std::vector<Time>> delivered;
  for (const bool watched : {false, true}) {
    Bench bench(topology::star({.hosts = 4}));
    if (watched) bench.network.watch({.interval = 1us, .samples = 64});
    for (int from = 1; from < 4; ++from) bench.send(from, 0, 200_KiB);
    bench.events.at(Time{200us}, [&] { bench.send(1, 0, 200_KiB); });
    bench.events.run();
    delivered.push_back(bench.delivered);
    if (!watched) continue;
    const LinkHistory history = bench.network.record().history;
    ASSERT_GT(history.samples(), 32);
    const auto links = bench.network.links();
    bool waited = false;
    for (std::size_t link = 0; link < links.size(); ++link) {
      const Bytes last = history.at(history.samples() - 1, link).sent;
      EXPECT_LE(last, links[link].carried);
      EXPECT_GE(last, links[link].carried * 9 / 10) << link;
      for (std::int64_t i = 0; i < history.samples(); ++i)
        waited = waited || history.at(i, link).queued > 100_KiB;
    }
    EXPECT_TRUE(waited);
  }
  EXPECT_EQ(delivered[0], delivered[1]);
}

TEST(PacketNetwork, AMessageToOneselfArrivesAtOnce) {
  Bench bench(topology::star({.hosts = 2}));
  bench.send(1, 1, 1_MiB);
  EXPECT_TRUE(bench.delivered.empty());
  bench.events.run();
  EXPECT_EQ(bench.delivered, (std::vector{Time{}}));
}

TEST(PacketNetwork, MessagesOfAPairShareAConnectionAndArriveInOrder) {
  Bench bench(topology::star({.hosts = 2}));
  for (int i = 0; i < 100; ++i) bench.send(0, 1, 5_KiB);
  bench.events.run();
  EXPECT_EQ(bench.delivered.size(), 100);
  EXPECT_TRUE(std::ranges::is_sorted(bench.delivered));
  EXPECT_EQ(bench.network.statistics().connections, 1);
  EXPECT_EQ(bench.network.statistics().delivered, 5_KiB * 100);
}

TEST(PacketNetwork, ClosedLoopPingPongTakesTheSameTimeEachRound) {
  Bench bench(topology::star({.hosts = 2}));
  struct Player {
    Bench& bench;
    int left;
    void play(int from) {
      if (left-- == 0) return;
      bench.network.send({.from = Rank{from}, .to = Rank{1 - from}, .size = 1_B}, [this, from] {
        bench.delivered.push_back(bench.events.now());
        play(1 - from);
      });
    }
  } player{.bench = bench, .left = 50};
  player.play(0);
  bench.events.run();
  ASSERT_EQ(bench.delivered.size(), 50);
  // The answer leaves 1 ps after the send call; the ACK of what it answers is just before it on the wire.
  const Duration round = 1'006'881_ps + 42 * 80_ps;
  for (std::size_t i = 2; i < 50; ++i) EXPECT_LE(bench.delivered[i] - bench.delivered[i - 1], round) << i;
}

// The network gives the batch runner's times, whether the shared queue has nothing else to do or an event at
// every other nanosecond.
TEST(PacketNetwork, AgreesWithTheEngineAloneWhateverElseRuns) {
  std::vector<FlowSpec> flows;
  for (int step = 1; step < 16; ++step) {
    for (int host = 0; host < 16; ++host) {
      flows.push_back(
          {.from = Rank{host}, .to = Rank{(host + step) % 16}, .size = 40_KiB, .start = Time{37ns * host}});
    }
  }
  PacketConfig config;
  config.queue.port_limit = 64_KiB;  // with losses and timeouts
  const PacketRun alone = run_flows(topology::fat_tree({.k = 4}), config, flows);
  ASSERT_GT(alone.statistics.drops, 0);
  for (const bool busy : {false, true}) {
    sim::EventQueue events;
    PacketNetwork network(topology::fat_tree({.k = 4}), config, events);
    std::vector<Duration> completion(flows.size());
    struct State {
      sim::EventQueue& events;
      PacketNetwork& network;
      const std::vector<FlowSpec>& flows;
      std::vector<Duration>& completion;
      int ticks = 0;
      void send(std::size_t i) {
        network.send({flows[i].from, flows[i].to, flows[i].size},
                     [this, i] { completion[i] = events.now() - flows[i].start; });
      }
      void tick() {
        if (++ticks < 2'000'000) events.after(2ns, [this] { tick(); });
      }
    } state{.events = events, .network = network, .flows = flows, .completion = completion};
    for (std::size_t i = 0; i < flows.size(); ++i) events.at(flows[i].start, [&state, i] { state.send(i); });
    if (busy) state.tick();
    events.run();
    for (std::size_t i = 0; i < flows.size(); ++i) EXPECT_EQ(completion[i], alone.completion[i]) << i << busy;
  }
}

// Messages come and go, in the places of earlier ones whose last packets are still on their way.
TEST(PacketNetwork, NdpCarriesMessagesInAClosedLoop) {
  PacketConfig config = ndp();
  config.queue.trim.data_limit = Bytes{3 * 9'064};
  config.of<NdpConfig>().min_rto = 2us;  // so early that many packets are sent twice
  Bench bench(topology::star({.hosts = 5}), config);
  struct Player {
    Bench& bench;
    int left;
    void play(int from) {
      if (left-- <= 0) return;
      bench.network.send(
          {.from = Rank{from}, .to = Rank{from == 0 ? 1 + left % 4 : 0}, .size = Bytes{50'000}},
          [this, from] {
            bench.delivered.push_back(bench.events.now());
            play((from + 1) % 5);
          });
    }
  } player{.bench = bench, .left = 500};
  for (int host = 0; host < 5; ++host) player.play(host);
  bench.events.run();
  EXPECT_EQ(bench.delivered.size(), 500);
  EXPECT_EQ(bench.network.statistics().delivered, Bytes{500 * 50'000});
  EXPECT_GT(bench.network.statistics().duplicates, 0);
  EXPECT_LT(bench.network.statistics().connections, 50);
}

TEST(PacketNetwork, TheQueueIsEmptyOnceAllIsDelivered) {
  Bench bench(topology::star({.hosts = 2}));
  bench.send(0, 1, 1_KiB);
  bench.events.run();
  EXPECT_EQ(bench.events.now(), bench.delivered.back());  // not a retransmission timer later
}

struct Nodes {
  topology::StarConfig star{.hosts = 4};
  topology::HierarchicalSwitchConfig node{.gpus_per_node = 2, .nics_per_node = 2};
};

int ranks_of_machine(const Nodes& nodes, const PacketConfig& config = {}) {
  sim::EventQueue events;
  return PacketNetwork(topology::hierarchical_switch(nodes.node, topology::star(nodes.star)), config, events)
      .ranks_of_machine();
}

TEST(PacketNetwork, MachinesStandApartIfInsideIsFasterAndNobodyElses) {
  EXPECT_EQ(ranks_of_machine({}), 2);
  Nodes one_nic;
  one_nic.node.nics_per_node = 1;
  EXPECT_EQ(ranks_of_machine(one_nic), 0);
  Nodes slow;
  slow.node.inside.rate = 50_Gbps;
  EXPECT_EQ(ranks_of_machine(slow), 0);
  Nodes far;
  far.node.inside.delay = 1us;
  EXPECT_EQ(ranks_of_machine(far), 0);
  PacketConfig spray;
  spray.paths = topology::PathRule::spray;
  EXPECT_EQ(ranks_of_machine({}, spray), 0);
  EXPECT_EQ(ranks_of_machine({}, ndp()), 0);
}

TEST(PacketNetwork, AMessageOfTheFirstMachineIsToldOfAll) {
  const Nodes nodes;
  Bench bench(topology::hierarchical_switch(nodes.node, topology::star(nodes.star)));
  std::vector<std::pair<int, int>> told;
  bench.network.on_delivery([&](const Delivery& delivery) {
    told.emplace_back(index(delivery.message.from), index(delivery.message.to));
  });
  bench.network.send({.from = Rank{0}, .to = Rank{1}, .size = 1_KiB, .machines = 2}, [] {});
  bench.events.run();
  EXPECT_EQ(told, (std::vector<std::pair<int, int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(bench.network.record().delivered, 2_KiB);
  int busy = 0;
  for (const NetworkRecord::Link& link : bench.network.record().links) busy += link.total.carried > Bytes{};
  EXPECT_EQ(busy, 4);  // to the switch and from it, in two machines; nobody waited for the ACK
}

TEST(PacketNetwork, RefusesAConfigurationThatCannotWork) {
  sim::EventQueue events;
  PacketConfig config;
  config.of<TcpConfig>().segment = 0_B;
  EXPECT_THROW(PacketNetwork(topology::star({.hosts = 2}), config, events), UserError);
}

}  // namespace
}  // namespace overture::network::packet
