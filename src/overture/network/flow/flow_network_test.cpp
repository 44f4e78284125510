#include "overture/network/flow/flow_network.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/flow/run_flows.h"
#include "overture/network/flow/testing.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"

namespace overture::network::flow {
namespace {

using namespace literals;
using topology::PathRule;

using testing::all_to_all;
using testing::flow;
using testing::star;

TEST(FlowNetwork, OneFlowTakesItsBytesAndTheWires) {
  const FluidRun result = run_flows(star(2), {}, {flow(0, 1, 1'000'000_B)});
  EXPECT_EQ(result.completion[0], Duration{80us + 1us});
}

// Two senders share the way to host 2 for 80 us, one is alone for 40 us; after a pause comes a message more.
TEST(FlowNetwork, WatchedLinksTellWhatTheyCarried) {
  sim::EventQueue events;
  FlowNetwork network(star(3), {}, events);
  network.watch({.interval = 20us, .samples = 64});
  network.send({.from = Rank{0}, .to = Rank{2}, .size = 1'000'000_B}, {});
  network.send({.from = Rank{1}, .to = Rank{2}, .size = 500'000_B}, {});
  events.at(Time{200us}, [&] { network.send({.from = Rank{0}, .to = Rank{2}, .size = 240'000_B}, {}); });
  events.run();
  const topology::Graph& graph = network.graph();
  const NetworkRecord record = network.record();
  const LinkHistory& history = record.history;
  ASSERT_EQ(history.samples(), 11);
  std::vector<double> use;
  for (std::size_t link = 0; link < graph.links().size(); ++link) {
    const topology::Link& wire = graph.links()[link];
    const Bytes down = wire.to == 2 ? 1'740'000_B : 0_B;
    EXPECT_EQ(record.links[link].total.carried, wire.from == 0   ? 1'240'000_B
                                                : wire.from == 1 ? 500'000_B
                                                                 : down)
        << link;
    if (wire.from != 0) continue;
    for (std::int64_t i = 0; i < history.samples(); ++i)
      use.push_back(history.utilisation(i, link, wire.wire.rate));
  }
  const std::vector<double> expected{0.5, 0.5, 0.5, 0.5, 1, 1, 0, 0, 0, 0, 0.96};
  ASSERT_EQ(use.size(), expected.size());
  for (std::size_t i = 0; i < use.size(); ++i) EXPECT_NEAR(use[i], expected[i], 1e-5) << i;
}

// However classes of links split while messages come and go, every byte is counted once on its way up and
// once on its way down; and nothing comes at another time for it.
TEST(FlowNetwork, WatchedLinksChangeNothingAndAddUp) {
  const auto flows = testing::random_flows(16, 200, 5);
  std::vector<std::vector<Time>> ends;
  for (const bool watched : {false, true}) {
    struct Sender {
      sim::EventQueue events;
      FlowNetwork network{topology::fat_tree({.k = 4}), {}, events};
      std::vector<Time> ends;
      void send(const FlowSpec& flow) {
        network.send({.from = flow.from, .to = flow.to, .size = flow.size},
                     [this] { ends.push_back(events.now()); });
      }
    } sender;
    if (watched) sender.network.watch({.interval = 1us, .samples = 16});
    double sent = 0;
    for (const FlowSpec& each : flows) {
      sent += static_cast<double>(each.size.count());
      sender.events.at(each.start, [&sender, &each] { sender.send(each); });
    }
    sender.events.run();
    ends.push_back(sender.ends);
    if (!watched) continue;
    double up = 0;
    double down = 0;
    const auto links = sender.network.record().links;
    for (std::size_t link = 0; link < links.size(); ++link) {
      const auto carried = static_cast<double>(links[link].total.carried.count());
      const topology::Link& wire = sender.network.graph().links()[link];
      if (sender.network.graph().is_host(wire.from)) up += carried;
      if (sender.network.graph().is_host(wire.to)) down += carried;
    }
    EXPECT_NEAR(up, sent, 100);  // rounded, link by link
    EXPECT_NEAR(down, sent, 100);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(FlowNetwork, HeadersTakeTheirShare) {
  const FluidRun result = run_flows(star(2), {.efficiency = 0.5}, {flow(0, 1, 1'000'000_B)});
  EXPECT_EQ(result.completion[0], Duration{160us + 1us});
}

TEST(FlowNetwork, TwoFlowsShareThenOneIsAlone) {
  const FluidRun result = run_flows(star(3), {}, {flow(0, 2, 1'000'000_B), flow(1, 2, 500'000_B)});
  EXPECT_EQ(result.completion[1], Duration{80us + 1us});
  EXPECT_EQ(result.completion[0], Duration{80us + 40us + 1us});
}

TEST(FlowNetwork, ALateFlowSlowsTheOther) {
  const FluidRun result =
      run_flows(star(3), {}, {flow(0, 2, 1'000'000_B), flow(1, 2, 1'000'000_B, Time{40us})});
  EXPECT_EQ(result.completion[0], Duration{40us + 80us + 1us});
  EXPECT_EQ(result.completion[1], Duration{80us + 40us + 1us});
}

TEST(FlowNetwork, FlowsElsewhereAreLeftAlone) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 8; ++i) {
    flows.push_back(flow(2 * i, 2 * i + 1, Bytes{1'000'000 + 1000 * i}, Time{Duration{i}}));
  }
  const FluidRun result = run_flows(star(16), {.tolerance = 0}, flows);
  // Each flow is a component of its own, but for the starts, which split classes that all shared.
  EXPECT_EQ(result.completion[7], Duration{80'560ns + 1us});
  EXPECT_LE(result.statistics.solved_lanes, 8U + 8U * 7 / 2);
}

TEST(FlowNetwork, ToItselfAMessageTakesNoTimeAndNothingIsSentAsOneByte) {
  const FluidRun result = run_flows(star(2), {}, {flow(0, 0, 5_B), flow(0, 1, 0_B)});
  EXPECT_EQ(result.completion[0], Duration::zero());
  EXPECT_EQ(result.completion[1], Duration{1us + 80_ps});
}

TEST(FlowNetwork, AnAllToAllOnAStarIsOneClass) {
  const FluidRun result = run_flows(star(64), {}, all_to_all(64, 32'768_B));
  EXPECT_EQ(result.statistics.streams, 1U);
  EXPECT_EQ(result.makespan, transfer_time(Bytes{63 * 32'768}, 100_Gbps) + Duration{1us});
  EXPECT_EQ(result.statistics.delivered, Bytes{64 * 63 * 32'768});
}

TEST(FlowNetwork, ASprayedAllToAllFillsAFatTree) {
  const FluidRun result = run_flows(topology::fat_tree({.k = 8}), {}, all_to_all(128, 100'000_B));
  EXPECT_LE(result.statistics.streams, 3U);  // within the rack, the pod, and beyond
  EXPECT_EQ(result.makespan, transfer_time(Bytes{127 * 100'000}, 100_Gbps) + Duration{3us});
}

TEST(FlowNetwork, BytesAreConserved) {
  const std::vector<FlowSpec> flows = testing::random_flows(16, 200, 3);
  Bytes sum;
  for (const FlowSpec& f : flows) sum += f.size;
  EXPECT_EQ(run_flows(topology::fat_tree({.k = 4}), {}, flows).statistics.delivered, sum);
}

TEST(FlowNetwork, NoLinkCarriesMoreThanItCan) {
  sim::EventQueue events;
  FlowNetwork network(topology::leaf_spine({.spines = 2}), {.paths = PathRule::hash_per_flow}, events);
  for (const FlowSpec& f : testing::random_flows(16, 100, 5)) {
    events.at(f.start, [&network, &f] { network.send({f.from, f.to, f.size}, Action([] {})); });
    events.run_until(f.start);
    for (std::size_t link = 0; link < network.graph().links().size(); ++link) {
      EXPECT_LE(network.rate_on(static_cast<int>(link)), 12.5e9 * (1 + 1e-9));
    }
  }
}

class AnyPattern : public ::testing::TestWithParam<Pattern> {};

TEST_P(AnyPattern, AnExchangeEndsWithTheLastOfItsMessages) {
  std::vector<Rank> group;
  for (int i = 0; i < 14; ++i) group.push_back(Rank{i});
  Time together;
  Time apart;
  const FlowConfig config{.connections = ConnectionUse::per_message};
  {
    sim::EventQueue events;
    FlowNetwork network(topology::fat_tree({.k = 4}), config, events);
    const GroupId id = network.add_group(group);
    network.exchange(GetParam(), id, 100'000_B, {}, [&] { together = events.now(); });
    network.send({Rank{0}, Rank{9}, 50'000_B}, Action([] {}));
    events.run();
  }
  sim::EventQueue events;
  FlowNetwork network(topology::fat_tree({.k = 4}), config, events);
  for_each_pair(GetParam(), group, [&](Rank from, Rank to) {
    network.send({from, to, 100'000_B}, [&events, &apart] { apart = std::max(apart, events.now()); });
  });
  network.send({Rank{0}, Rank{9}, 50'000_B}, Action([] {}));
  events.run();
  EXPECT_NEAR(static_cast<double>((together - apart).count()), 0, 20);
  EXPECT_GT(together, Time{});
}

INSTANTIATE_TEST_SUITE_P(Patterns, AnyPattern,
                         ::testing::Values(Pattern::ring, Pattern::all_pairs, Pattern::to_first,
                                           Pattern::from_first));

// By hash, each of the 16,256 flows differs from all others. Whatever classes they are put into, the
// all-to-all ends when the link that carries most of them has carried them all.
TEST(FlowNetwork, AnAllToAllOfManyClassesEndsWithItsMostLoadedLink) {
  const topology::Topology tree = topology::fat_tree({.k = 8});
  const FlowConfig config{.paths = PathRule::hash_per_flow};
  FlowPaths ways(tree, config.paths, config.seed);
  std::vector<std::int64_t> carried(tree.graph.links().size());
  const std::vector<FlowSpec> flows = all_to_all(128, 10'000_B);
  Duration longest{};
  for (const FlowSpec& one : flows) {
    const Way way = ways.find(index(one.from), index(one.to));
    longest = std::max(longest, ways.delay(way));
    for (const LinkShare& part : ways.bundle(way.bundle)) ++carried[part.link];
  }
  const std::int64_t most = std::ranges::max(carried);
  ASSERT_GT(most, 127) << "a host's own link carries 127";
  const FluidRun result = run_flows(topology::fat_tree({.k = 8}), config, flows);
  const Duration busiest = transfer_time(Bytes{10'000 * most}, tree.graph.links().front().wire.rate);
  const Duration last = *std::ranges::max(result.completion);
  EXPECT_GE(last, busiest);
  EXPECT_LE(last, busiest + longest);
}

// A way that has fallen idle is forgotten when links are split; used again, it is as it was.
TEST(FlowNetwork, AWayThatIsUsedAgainIsAsFastAsBefore) {
  std::vector<FlowSpec> flows{flow(0, 1, 1'000'000_B)};
  for (int i = 0; i < 6; ++i)
    flows.push_back(flow(2 + 2 * i, 3 + 2 * i, 10'000'000_B, Time{100us + i * 1us}));
  flows.push_back(flow(0, 1, 1'000'000_B, Time{200us}));
  const FluidRun result = run_flows(star(16), {}, flows);
  EXPECT_EQ(result.completion.front(), Duration{81us});
  EXPECT_EQ(result.completion.back(), Duration{81us});
  for (std::size_t i = 1; i <= 6; ++i) EXPECT_EQ(result.completion[i], Duration{801us}) << i;
}

TEST(FlowNetwork, MessagesOfAPairGoInTurnUnlessEachHasAConnection) {
  const std::vector<FlowSpec> flows{flow(0, 1, 1'000'000_B), flow(0, 1, 500'000_B), flow(0, 1, 250'000_B),
                                    flow(2, 3, 1'000'000_B), flow(0, 1, 250'000_B, Time{10us})};
  const auto ends = [&](ConnectionUse connections) {
    std::vector<double> us;
    const FluidRun run = run_flows(star(4), {.connections = connections}, flows);
    for (std::size_t i = 0; i < flows.size(); ++i)
      us.push_back(to_us(flows[i].start.time_since_epoch() + *run.completion[i]));
    return us;
  };
  EXPECT_EQ(ends(ConnectionUse::per_pair), (std::vector{81.0, 121.0, 141.0, 81.0, 161.0}));
  const auto shared = ends(ConnectionUse::per_message);
  EXPECT_DOUBLE_EQ(shared[3], 81);
  // Three share 10 us, four until the third has its 250,000 bytes, then the late one, then two.
  EXPECT_NEAR(shared[2], 10 + 4 * (20 - 10 / 3.0) + 1, 1e-5);
  EXPECT_NEAR(shared[0], 160 + 1, 1e-5);  // all bytes together
}

// Rates change when a pair falls silent, not when its next message begins: a hundred pairs, of which the
// first one is done last.
TEST(FlowNetwork, APairThatSendsOnMakesNobodyLookForNewRates) {
  const int hosts = 20;
  const int messages = 30;
  std::vector<FlowSpec> flows;
  for (int from = 0; from < hosts; ++from) {
    for (const int step : {1, 3, 4, 8, 12}) {
      for (int i = 0; i < messages; ++i)
        flows.push_back(flow(from, (from + step) % hosts, Bytes{100'000 + 1'000 * from + 77 * step + i},
                             Time{1ns * (from * hosts + step)}));
    }
  }
  std::ranges::stable_sort(flows, {}, &FlowSpec::start);
  const std::vector<double> expected = testing::plain_fluid(star(hosts), {}, flows);
  const FluidRun result = run_flows(star(hosts), {}, flows);
  for (std::size_t i = 0; i < flows.size(); ++i)
    EXPECT_NEAR(static_cast<double>(result.completion[i]->count()), expected[i], 400) << i;
  EXPECT_EQ(result.statistics.messages, hosts * 5 * messages);
  // A pair begins and ends once, and a few more of several messages at one instant.
  EXPECT_LT(result.statistics.solutions, 2 * hosts * 5 + 100);
}

// A pair of hosts is one flow however many messages it has: it gets no more of a link that it shares.
TEST(FlowNetwork, ManyMessagesTakeNoMoreOfALinkThanOne) {
  std::vector<FlowSpec> flows{flow(1, 2, 1'000'000_B)};
  for (int i = 0; i < 9; ++i) flows.push_back(flow(0, 2, 1'000'000_B));
  EXPECT_EQ(run_flows(star(3), {}, flows).completion[0], Duration{160us + 1us});
  EXPECT_EQ(run_flows(star(3), {.connections = ConnectionUse::per_message}, flows).completion[0],
            Duration{800us + 1us});
}

TEST(FlowNetwork, ExchangesOfAPatternTakeTurns) {
  const auto ends_of = [](ConnectionUse connections) {
    sim::EventQueue events;
    FlowNetwork network(star(4), {.connections = connections}, events);
    const GroupId all = network.add_group({Rank{0}, Rank{1}, Rank{2}, Rank{3}});
    std::vector<Duration> ends(3);
    for (Duration& end : ends)
      network.exchange(Pattern::ring, all, 1'000'000_B, {},
                       [&events, &end] { end = events.now().time_since_epoch(); });
    events.run();
    return ends;
  };
  EXPECT_EQ(ends_of(ConnectionUse::per_pair), (std::vector<Duration>{81us, 161us, 241us}));
  EXPECT_EQ(ends_of(ConnectionUse::per_message), (std::vector<Duration>{241us, 241us, 241us}));
}

// What links carry is counted once, whoever waits.
TEST(FlowNetwork, WaitingMessagesCarryNothing) {
  sim::EventQueue events;
  FlowNetwork network(star(2), {}, events);
  network.watch({.interval = 10us, .samples = 64});
  for (int i = 0; i < 5; ++i) network.send({Rank{0}, Rank{1}, 250'000_B}, {});
  events.run();
  for (const NetworkRecord::Link& link : network.record().links)
    EXPECT_EQ(link.total.carried, link.from == "h0" || link.to == "h1" ? 1'250'000_B : 0_B);
}

TEST(FlowNetwork, AnExchangeOfOneRankEndsAtOnce) {
  sim::EventQueue events;
  FlowNetwork network(star(2), {}, events);
  bool done = false;
  network.exchange(Pattern::ring, network.add_group({Rank{0}}), 5_B, {}, [&] { done = true; });
  events.run();
  EXPECT_TRUE(done);
  EXPECT_EQ(events.now(), Time{});
}

TEST(FlowNetwork, WhatWentBeforeLeavesNoTrace) {
  const auto exchange_after = [](const std::vector<FlowSpec>& flows) {
    sim::EventQueue events;
    FlowNetwork network(topology::fat_tree({.k = 6}), {}, events);
    std::vector<Rank> everybody;
    for (int i = 0; i < 54; ++i) everybody.push_back(Rank{i});
    const GroupId group = network.add_group(everybody);
    Duration took{};
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const FlowSpec& f : flows) {
        events.after(f.start.time_since_epoch(), [&network, &f] {
          network.send({f.from, f.to, f.size}, Action([] {}));
        });
      }
      events.run();
      const Time start = events.now();
      network.exchange(Pattern::all_pairs, group, 10'000_B, {},
                       [&events, &took, start] { took = events.now() - start; });
      events.run();
    }
    return took;
  };
  EXPECT_EQ(exchange_after(testing::random_flows(54, 300, 19)), exchange_after({}));
}

TEST(FlowNetwork, SameInputsSameRun) {
  const std::vector<FlowSpec> flows = testing::random_flows(16, 300, 17);
  const FlowConfig config{.paths = PathRule::hash_per_flow};
  EXPECT_EQ(run_flows(topology::fat_tree({}), config, flows).completion,
            run_flows(topology::fat_tree({}), config, flows).completion);
}

TEST(FlowNetwork, ShorterPathsGetMoreIfDelayIsTheWeight) {
  // Within the edge 1 us, across the core 3 us; both end at host 1, whose link they share 3 to 1.
  FlowConfig config{.sharing = Sharing::inverse_latency};
  const FluidRun result =
      run_flows(topology::fat_tree({.k = 4}), config, {flow(0, 1, 750'000_B), flow(15, 1, 250'000_B)});
  EXPECT_EQ(result.completion[0], Duration{80us + 1us});
  EXPECT_EQ(result.completion[1], Duration{80us + 3us});
}

// Host 0's link works for 30 of every 100 us.
TEST(FlowNetwork, ALinkThatComesAndGoesCarriesOnlyInItsWindows) {
  FlowConfig config;
  config.schedules.emplace_back(100us, std::vector<CapacityWindow>{{.from = 10us, .to = 40us, .share = 1}});
  config.schedule_of_link = {0, -1, -1, -1};
  const FluidRun result = run_flows(star(2), config, {flow(0, 1, 500'000_B)});
  EXPECT_EQ(result.completion[0],
            Duration{120us + 1us});  // 40 us of work: 30 in the first window, 10 in the second
}

TEST(FlowNetwork, OtherFlowsTakeWhatALinkInTheDarkLeaves) {
  FlowConfig config;
  config.schedules.emplace_back(100us,
                                std::vector<CapacityWindow>{{.from = 50us, .to = 100us, .share = 0.5}});
  config.schedule_of_link = {0, -1, -1, -1, -1, -1};  // host 0's link upwards
  const FluidRun result = run_flows(star(3), config, {flow(0, 2, 312'500_B), flow(1, 2, 937'500_B)});
  // Flow 1 alone has 50 us, 625,000 bytes. Then both run at 6.25 GB/s: both need 50 us more.
  EXPECT_EQ(result.completion[0], Duration{100us + 1us});
  EXPECT_EQ(result.completion[1], Duration{100us + 1us});
}

TEST(FlowNetwork, AFlowThatStandsStillLeavesItsOtherLinksToOthers) {
  FlowConfig config;
  config.schedules.emplace_back(1ms, std::vector<CapacityWindow>{{.from = 0us, .to = 40us, .share = 1}});
  config.schedule_of_link = {0, -1, -1, -1, -1, -1};  // host 0's link upwards
  const FluidRun result = run_flows(star(3), config, {flow(0, 2, 1'000'000_B), flow(1, 2, 1'000'000_B)});
  // Both have sent 250,000 bytes when it gets dark; flow 1 alone needs 60 us more.
  EXPECT_EQ(result.completion[1], Duration{100us + 1us});
}

TEST(FlowNetwork, RefusesWhatCannotWork) {
  EXPECT_THROW(run_flows(star(2), {.efficiency = 0}, {}), UserError);
  EXPECT_THROW(run_flows(star(2), {.efficiency = 1.5}, {}), UserError);
  EXPECT_THROW(run_flows(star(2), {.tolerance = -1}, {}), UserError);
  EXPECT_THROW(run_flows(star(2), {.schedule_of_link = {0}}, {}), UserError);
  EXPECT_THROW(run_flows(star(2), {}, {flow(0, 2, 1_B)}), UserError);
  EXPECT_THROW(run_flows(star(2), {}, {flow(0, 1, Bytes{-1})}), UserError);
  EXPECT_THROW(CapacitySchedule(1us, {}), UserError);
  EXPECT_THROW(CapacitySchedule(1us, {{.from = 0us, .to = 2us}}), UserError);
  EXPECT_THROW(CapacitySchedule(2us, {{.from = 0us, .to = 1us}, {.from = 500ns, .to = 2us}}), UserError);
}

}  // namespace
}  // namespace overture::network::flow
