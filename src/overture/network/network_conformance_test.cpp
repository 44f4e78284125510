// The contract of network.h, played on every backend. A new backend is one line in backends().
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "overture/network/make_network.h"

namespace overture::network {
namespace {

using namespace literals;

constexpr int kRanks = 16;

struct Backend {
  std::string name;
  NetworkConfig config;
  Duration wire;   // no message is faster than this ...
  Bandwidth rate;  // ... and what a rank's link needs for its bytes
  Duration cut{};  // but for this much, which ASTRA-sim's formula cuts off
};
void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

AnalyticalConfig rings(Contention contention) {
  AnalyticalConfig config{.contention = contention};
  for (int d = 0; d < 2; ++d) {
    config.dimensions.push_back(
        {.size = 4, .links = 2, .link_latency_ns = 100, .link_gib_per_s = 12.5e9 / (1 << 30)});
  }
  return config;
}

topology::GraphConfig tree() { return {.shape = topology::FatTreeConfig{.k = 4}}; }

topology::OperaConfig opera() { return {.tors = 4, .ports = 8}; }

PacketNetworkConfig packets(topology::GraphConfig topology, const packet::PacketConfig& config) {
  return {.topology = std::move(topology), .packets = config};
}

std::vector<Backend> backends() {
  rotor::RotorConfig low_latency;
  low_latency.bulk_from = 50_KiB;
  const topology::GraphConfig torus{.shape = topology::TorusConfig{.sizes = {4, 4}}};
  packet::PacketConfig shallow;  // loses packets
  shallow.queue.port_limit = 20_KiB;
  topology::GraphConfig nodes{
      .shape = topology::StarConfig{.hosts = 4},
      .nodes = topology::HierarchicalSwitchConfig{.gpus_per_node = 4, .nics_per_node = 1}};
  FlowNetworkConfig before{.topology = tree()};
  before.fluid.latency = flow::Latency::before;
  FlowNetworkConfig relays{.topology = opera()};
  relays.rotors.circuits = flow::Circuits::average;
  return {
      {"analytical", rings(Contention::none), 100ns, 200_Gbps, 1ns},
      {"analytical_links", rings(Contention::links), 100ns, 200_Gbps},
      {"flow", FlowNetworkConfig{.topology = tree()}, 1us, 100_Gbps},
      {"flow_latency_before", before, 1us, 100_Gbps},
      {"flow_hierarchy", FlowNetworkConfig{.topology = *links_of(rings({}).wires())}, 100ns, 8000_Gbps},
      {"flow_rotor", FlowNetworkConfig{.topology = opera()}, 0ns, 100_Gbps},
      {"flow_rotor_average", relays, 0ns, 100_Gbps},
      {"packet_tcp", packets(tree(), {}), 1us, 100_Gbps},
      {"packet_tcp_drops", packets(tree(), shallow), 1us, 100_Gbps},
      {"packet_tcp_nodes", packets(nodes, {}), 200ns, 2400_Gbps},
      {"packet_tcp_hierarchy", packets(*links_of(rings({}).wires()), {}), 100ns, 8000_Gbps},
      {"packet_ndp", packets(tree(), packet::ndp()), 1us, 100_Gbps},
      {"packet_roce", packets(tree(), packet::roce()), 1us, 100_Gbps},
      {"packet_htsim_dctcp", packets(tree(), packet::dlrm_study_dctcp()), 1us, 100_Gbps},
      {"packet_credits_torus", packets(torus, packet::plain_credits()), 100ns, 8000_Gbps},
      {"rotor_opera", RotorNetworkConfig{.topology = opera(), .rotors = low_latency}, 0ns, 100_Gbps},
      {"rotor_rotornet", RotorNetworkConfig{.topology = opera(), .rotors = rotor::rotornet()}, 0ns, 100_Gbps},
  };
}

class Conformance : public ::testing::TestWithParam<Backend> {
 public:
  Conformance() { make(); }
  void make() {
    network.reset();
    events = std::make_unique<sim::EventQueue>();
    network = make_network(GetParam().config, *events);
    ends.clear();
  }
  // The i-th message of a test.
  void send(int from, int to, Bytes size) {
    const auto i = static_cast<std::uint32_t>(ends.size());
    ends.emplace_back();
    network->send({.from = Rank{from}, .to = Rank{to}, .size = size, .name = {.task = i, .chunk = 7}},
                  [this, i] { ends[i].push_back(events->now()); });
  }
  void expect_each_once() const {
    for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_EQ(ends[i].size(), 1U) << "message " << i;
  }

  std::unique_ptr<sim::EventQueue> events;
  std::unique_ptr<Network> network;
  std::vector<std::vector<Time>> ends;
};

TEST_P(Conformance, HasTheRanksOfItsTopology) { EXPECT_EQ(network->ranks(), kRanks); }

TEST_P(Conformance, AMessageToItsOwnRankTakesNoTimeAndComesFromTheQueue) {
  send(3, 3, 1_MiB);
  EXPECT_TRUE(ends[0].empty());
  events->run();
  expect_each_once();
  EXPECT_EQ(ends[0][0], Time{});
}

TEST_P(Conformance, NoBytesAreDeliveredTooAndNotFasterThanTheWire) {
  send(0, 13, 0_B);
  send(0, 1, 0_B);
  events->run();
  expect_each_once();
  for (const auto& end : ends) EXPECT_GE(end[0].time_since_epoch(), GetParam().wire);
}

TEST_P(Conformance, ARankThatDoesNotExistIsACheck) {
  for (const auto& [from, to] : {std::pair(0, kRanks), std::pair(-1, 0)}) {
    EXPECT_DEATH(network->send({.from = Rank{from}, .to = Rank{to}, .size = 1_B}, {}),
                 "messages go between ranks of the network");
  }
  EXPECT_DEATH(network->send({.from = Rank{0}, .to = Rank{1}, .size = Bytes{-1}}, {}), "no negative size");
}

TEST_P(Conformance, AnEmptyActionIsFine) {
  network->send({.from = Rank{0}, .to = Rank{1}, .size = 10_KiB}, {});
  network->send({.from = Rank{1}, .to = Rank{1}, .size = 10_KiB}, {});
  events->run();
}

TEST_P(Conformance, ManyMessagesOfAPairAllArriveOnceAndNotFasterThanTheLink) {
  Bytes sum;
  for (int i = 0; i < 40; ++i) {
    const Bytes size{1 + i * 4000};
    send(2, 11, size);
    sum += size;
  }
  events->run();
  expect_each_once();
  Time last{};
  for (const auto& end : ends) last = std::max(last, end[0]);
  const bool shared = facts_of(GetParam().config).shares_links;
  const Duration needed = transfer_time(shared ? sum : Bytes{1 + 39 * 4000}, GetParam().rate);
  EXPECT_GE(last.time_since_epoch(), GetParam().wire + needed);
}

TEST_P(Conformance, RandomTrafficArrivesOnceNoFasterThanTheWireAndTheSameTwice) {
  std::array<std::vector<std::vector<Time>>, 2> runs;
  for (auto& run : runs) {
    make();
    std::uint32_t x = 12345;
    const auto below = [&](std::uint32_t n) {
      return static_cast<int>((x = x * 1664525 + 1013904223) >> 8) % static_cast<int>(n);
    };
    struct Sent {
      int from, to;
      Bytes size;
      Duration start;
    };
    std::vector<Sent> sent;
    for (int i = 0; i < 150; ++i) {
      sent.push_back({below(kRanks), below(kRanks), Bytes{below(120'000)}, Duration{below(200'000'000)}});
    }
    std::ranges::stable_sort(sent, {}, &Sent::start);
    for (const Sent& s : sent) events->at(Time{s.start}, [this, &s] { send(s.from, s.to, s.size); });
    events->run();
    expect_each_once();
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].from == sent[i].to) continue;
      EXPECT_GE(ends[i][0] - Time{sent[i].start} + GetParam().cut,
                GetParam().wire + transfer_time(sent[i].size, GetParam().rate));
    }
    run = ends;
  }
  EXPECT_EQ(runs[0], runs[1]);
}

// Each delivery sends the next message of its chain: from inside a delivery, at that very time.
TEST_P(Conformance, ADeliveryMaySend) {
  struct Chain {
    Conformance* test;
    int left;
    int at;
    void go() {
      if (left-- == 0) return;
      const int to = (at + 5) % kRanks;
      test->network->send({.from = Rank{at}, .to = Rank{to}, .size = 20_KiB}, [this, to] {
        at = to;
        go();
      });
    }
  };
  std::vector<Chain> chains;
  for (int i = 0; i < 8; ++i) chains.push_back({this, 12, i});
  for (Chain& chain : chains) chain.go();
  events->run();
  for (const Chain& chain : chains) EXPECT_EQ(chain.left, -1);
  EXPECT_GE(events->now().time_since_epoch(),
            12 * (GetParam().wire + transfer_time(20_KiB, GetParam().rate)));
}

constexpr std::array kPatterns{Pattern::ring, Pattern::all_pairs, Pattern::to_first, Pattern::from_first};

TEST_P(Conformance, AnExchangeEndsOnceWithItsLastMessage) {
  const std::vector<Rank> ranks{Rank{0}, Rank{5}, Rank{6}, Rank{3}, Rank{15}, Rank{9}};
  for (const Pattern pattern : kPatterns) {
    make();
    int done = 0;
    Time end{};
    Time last{};
    std::int64_t told = 0;
    network->on_delivery([&](const Delivery& delivery) {
      ++told;
      last = std::max(last, delivery.end);
      EXPECT_EQ(delivery.message.name, (MessageName{.task = 4, .chunk = 2}));
      EXPECT_EQ(delivery.message.size, 30_KiB);
      EXPECT_EQ(delivery.end, events->now());
    });
    network->exchange(pattern, network->add_group(ranks), 30_KiB, {.task = 4, .chunk = 2},
                      [this, &done, &end] {
                        ++done;
                        end = events->now();
                      });
    events->run();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(told, messages(pattern, ranks.size()));
    EXPECT_EQ(end, last);
    EXPECT_GE(end.time_since_epoch(), GetParam().wire + transfer_time(30_KiB, GetParam().rate));
  }
}

TEST_P(Conformance, AnExchangeTakesAsLongAsItsMessages) {
  const std::vector<Rank> ranks{Rank{0}, Rank{5}, Rank{6}, Rank{3}, Rank{15}, Rank{9}};
  for (const Pattern pattern : kPatterns) {
    make();
    Time together{};
    network->exchange(pattern, network->add_group(ranks), 30_KiB, {},
                      [this, &together] { together = events->now(); });
    events->run();
    make();
    for_each_pair(pattern, ranks, [&](Rank from, Rank to) { send(index(from), index(to), 30_KiB); });
    events->run();
    Time apart{};
    for (const auto& end : ends) apart = std::max(apart, end[0]);
    // A fluid may round the two by a few picoseconds.
    EXPECT_LE(std::abs((together - apart).count()), 20);
  }
}

TEST_P(Conformance, ExchangesWithNobodyEndAtOnceAndSeveralMayRun) {
  const GroupId alone = network->add_group({Rank{4}});
  std::vector<Rank> everybody;
  for (int i = 0; i < kRanks; ++i) everybody.push_back(Rank{i});
  const GroupId all = network->add_group(everybody);
  int done = 0;
  for (const Pattern pattern : kPatterns) network->exchange(pattern, alone, 1_MiB, {}, [&done] { ++done; });
  EXPECT_EQ(done, 0);
  while (done < 4) events->step();
  EXPECT_EQ(events->now(), Time{});
  for (int i = 0; i < 3; ++i) network->exchange(Pattern::ring, all, 0_B, {}, [&done] { ++done; });
  network->exchange(Pattern::all_pairs, all, 1000_B, {}, [&done] { ++done; });
  events->run();
  EXPECT_EQ(done, 8);
}

TEST_P(Conformance, NamesReachTheObserverAndNothingComesAtAnotherTimeForIt) {
  const auto traffic = [this] {
    for (int i = 0; i < 30; ++i) send(i % kRanks, (i * 7 + 1) % kRanks, Bytes{i * 3000});
    send(2, 2, 5_KiB);
    events->run();
  };
  traffic();
  const auto alone = ends;
  make();
  std::map<std::uint32_t, Delivery> seen;
  network->on_delivery([&](const Delivery& delivery) {
    EXPECT_TRUE(seen.emplace(delivery.message.name.task, delivery).second) << "told twice";
  });
  traffic();
  EXPECT_EQ(ends, alone);
  ASSERT_EQ(seen.size(), ends.size());
  for (const auto& [task, delivery] : seen) {
    EXPECT_EQ(delivery.end, ends[task][0]);
    EXPECT_EQ(delivery.start, Time{});
    EXPECT_EQ(delivery.message.name.chunk, 7);
    EXPECT_EQ(delivery.message.size, task < 30 ? Bytes{task * 3000} : 5_KiB);
  }
}

TEST_P(Conformance, WatchedLinksChangeNothingAndCarryWhatWasSent) {
  const auto traffic = [this] {
    for (int i = 0; i < 60; ++i) send(i % kRanks, (i * 7 + 1) % kRanks, Bytes{60'000 + i * 3000});
    events->run();
  };
  traffic();
  const auto alone = ends;
  Bytes sum;
  for (int i = 0; i < 60; ++i)
    if (i % kRanks != (i * 7 + 1) % kRanks) sum += Bytes{60'000 + i * 3000};
  const std::uint64_t digest = network->record().digest;
  make();
  network->watch({.interval = 1us, .samples = 64});
  traffic();
  EXPECT_EQ(ends, alone);
  const NetworkRecord record = network->record();
  EXPECT_EQ(record.digest, digest);
  Bytes from_ranks;
  for (std::size_t i = 0; i < record.links.size(); ++i) {
    const NetworkRecord::Link& link = record.links[i];
    EXPECT_FALSE(link.from.empty() || link.to.empty());
    EXPECT_LT(link.tier, record.tiers.size());
    EXPECT_GT(link.rate, Bandwidth::bits_per_second(0));
    EXPECT_LE(link.total.busy, events->now().time_since_epoch() + 1us) << link.from << " to " << link.to;
    if (link.from.front() == 'h') from_ranks += link.total.carried;
    if (record.history.samples() == 0) continue;
    const Bytes last = record.history.at(record.history.samples() - 1, i).sent;
    EXPECT_LE(last, link.total.carried + 1_B);
  }
  if (!record.links.empty()) {
    EXPECT_GE(from_ranks, sum) << "every byte leaves its rank";
    EXPECT_GT(record.history.samples(), 2);
  }
  const bool has_none = GetParam().name == "analytical" || GetParam().name == "flow_rotor_average";
  EXPECT_EQ(record.links.empty(), has_none) << "the two that know no links";
  EXPECT_EQ(record.delivered, sum);
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::ValuesIn(backends()),
                         [](const auto& of) { return of.param.name; });

TEST(MakeNetwork, DeclaresDimensionsForCollectives) {
  const auto sizes = [](const NetworkConfig& config) {
    const topology::Hierarchy machine = system_dimensions(config, kRanks);
    std::vector<int> found;
    for (int d = 0; d < machine.dimensions(); ++d) found.push_back(machine.dimension(d).size);
    return found;
  };
  EXPECT_EQ(sizes(rings(Contention::none)), (std::vector{4, 4}));
  EXPECT_EQ(sizes(packets(tree(), {})), (std::vector{16}));
  EXPECT_EQ(sizes(RotorNetworkConfig{.topology = opera()}), (std::vector{16}));
  EXPECT_EQ(sizes(FlowNetworkConfig{.topology = opera()}), (std::vector{16}));
  EXPECT_EQ(sizes(packets(*links_of(rings({}).wires()), {})), (std::vector{4, 4}));
}

}  // namespace
}  // namespace overture::network
