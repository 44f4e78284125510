// What the base of all networks does by itself, on one that delivers everything after a fixed time; and what
// is counted and drawn beside messages.
#include "overture/network/network.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/network/faults.h"
#include "overture/network/flows.h"
#include "overture/network/link_load.h"
#include "overture/network/named_links.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture::network {
namespace {

using namespace literals;

// Delivers after 10 ns, and notes what it was given.
class TenNanoseconds final : public Network {
 public:
  TenNanoseconds(int ranks, sim::EventQueue& events) : Network(ranks, events) {}

  std::vector<Message> carried;

 private:
  void carry(const Message& message, Action delivered) override {
    carried.push_back(message);
    events().after(10ns, delivered);
  }
};

struct NetworkBase : testing::Test {
  sim::EventQueue events;
  TenNanoseconds network{8, events};
};

TEST_F(NetworkBase, AMessageToItselfTakesNoTimeAndIsNotCarried) {
  Time when = Time::max();
  network.send({.from = Rank{3}, .to = Rank{3}, .size = 1_MiB}, [&] { when = events.now(); });
  EXPECT_EQ(when, Time::max()) << "not before the queue runs";
  events.run();
  EXPECT_EQ(when, Time{});
  EXPECT_TRUE(network.carried.empty());
}

TEST_F(NetworkBase, NobodyNeedsToBeTold) {
  network.send({.from = Rank{0}, .to = Rank{1}, .size = 1_B}, {});
  network.send({.from = Rank{2}, .to = Rank{2}, .size = 1_B}, {});
  events.run();
  EXPECT_EQ(events.now(), Time{10ns});
}

TEST_F(NetworkBase, AnObserverHearsOfEveryMessageBeforeItsReceiver) {
  std::vector<std::string> heard;
  network.on_delivery([&](const Delivery& d) {
    heard.push_back("observer " + std::to_string(index(d.message.to)));
    EXPECT_EQ(d.start, Time{5ns});
    EXPECT_EQ(d.end, d.message.from == d.message.to ? Time{5ns} : Time{15ns});
    EXPECT_EQ(d.message.name.task, 7U);
  });
  events.at(Time{5ns}, [&] {
    for (const int to : {1, 2, 0}) {
      network.send({.from = Rank{0}, .to = Rank{to}, .size = 9_B, .name = {.task = 7}},
                   [&heard, to] { heard.push_back("receiver " + std::to_string(to)); });
    }
  });
  events.run();
  EXPECT_EQ(heard, (std::vector<std::string>{"observer 0", "receiver 0", "observer 1", "receiver 1",
                                             "observer 2", "receiver 2"}));
}

TEST_F(NetworkBase, AReceiverMaySendOn) {
  int hops = 0;
  struct Relay {
    NetworkBase& test;
    int& hops;
    void pass(int at) {
      if (at == 7) return;
      test.network.send({.from = Rank{at}, .to = Rank{at + 1}, .size = 1_B}, [this, at] {
        ++hops;
        pass(at + 1);
      });
    }
  } relay{*this, hops};
  network.on_delivery([](const Delivery&) {});
  relay.pass(0);
  events.run();
  EXPECT_EQ(hops, 7);
  EXPECT_EQ(events.now(), Time{70ns});
}

TEST_F(NetworkBase, AnExchangeIsDoneWithItsLastMessageOnce) {
  const GroupId group = network.add_group({Rank{1}, Rank{4}, Rank{6}});
  for (const Pattern pattern : {Pattern::ring, Pattern::all_pairs, Pattern::to_first, Pattern::from_first}) {
    network.carried.clear();
    int done = 0;
    network.exchange(pattern, group, 5_KiB, {.task = 3, .chunk = 2}, [&] { ++done; });
    EXPECT_EQ(static_cast<std::int64_t>(network.carried.size()), messages(pattern, 3));
    for (const Message& message : network.carried) {
      EXPECT_EQ(message.size, 5_KiB);
      EXPECT_EQ(message.name, (MessageName{.task = 3, .chunk = 2}));
    }
    EXPECT_EQ(done, 0);
    events.run();
    EXPECT_EQ(done, 1);
  }
}

TEST_F(NetworkBase, AnExchangeOfOneRankIsDoneAfterNoTime) {
  const GroupId alone = network.add_group({Rank{5}});
  Time when = Time::max();
  network.exchange(Pattern::all_pairs, alone, 5_KiB, {}, [&] { when = events.now(); });
  EXPECT_EQ(when, Time::max());
  events.run();
  EXPECT_EQ(when, Time{});
}

TEST_F(NetworkBase, ManyExchangesAtOnceAreKeptApart) {
  struct Player {
    NetworkBase& test;
    std::vector<Time> done = std::vector<Time>(20);
    std::vector<GroupId> groups{};

    void start(std::size_t i) {
      test.network.exchange(Pattern::all_pairs, groups[i % 4], 1_B, {},
                            [this, i] { done[i] = test.events.now(); });
    }
  } player{*this};
  for (int first = 0; first < 4; ++first)
    player.groups.push_back(network.add_group({Rank{first}, Rank{first + 4}}));
  for (std::size_t i = 0; i < player.done.size(); ++i)
    events.at(Time{i * 3ns}, [&player, i] { player.start(i); });
  events.run();
  for (std::size_t i = 0; i < player.done.size(); ++i) EXPECT_EQ(player.done[i], Time{i * 3ns + 10ns});
}

TEST_F(NetworkBase, ANetworkWithoutLinksHasNothingToWatchOrTell) {
  network.watch({});
  EXPECT_TRUE(network.record().links.empty());
  EXPECT_NE(user_error([&] { network.watch({.samples = 3}); }), "");
}

// ---- lists of flows

TEST_F(NetworkBase, FlowsArePlayedInTheOrderOfTheirStart) {
  const FlowTimes times = play_flows(
      network, events,
      {{Rank{0}, Rank{1}, 1_B, Time{50ns}}, {Rank{2}, Rank{3}, 2_B}, {Rank{4}, Rank{4}, 3_B, Time{20ns}}});
  ASSERT_EQ(network.carried.size(), 2U);
  EXPECT_EQ(network.carried[0].from, Rank{2});
  EXPECT_EQ(network.carried[0].name.task, 1U) << "the flow's number";
  EXPECT_EQ(times.finished, 3U);
  EXPECT_EQ(times.makespan, Duration{60ns});
  EXPECT_EQ(times.completion[0], Duration{10ns});
  EXPECT_EQ(times.completion[2], Duration{});
}

TEST_F(NetworkBase, ARunThatIsCutSaysWhereAndThatItIsNotLocked) {
  const FlowTimes times =
      play_flows(network, events, {{Rank{0}, Rank{1}, 1_B}, {Rank{0}, Rank{1}, 1_B, Time{100ns}}},
                 {.until = Time{50ns}});
  EXPECT_EQ(times.finished, 1U);
  EXPECT_TRUE(times.completion[0]);
  EXPECT_FALSE(times.completion[1]);
  EXPECT_LE(times.simulated, Duration{50ns});
  EXPECT_FALSE(times.locked);
}

// Carries nothing, ever.
class Nowhere final : public Network {
 public:
  using Network::Network;

 private:
  void carry(const Message&, Action) override {}
};

TEST(PlayFlows, WhereNothingCanMoveAnyMoreTheRunIsLocked) {
  sim::EventQueue events;
  Nowhere network(2, events);
  const FlowTimes times = play_flows(network, events, {{Rank{0}, Rank{1}, 1_B}});
  EXPECT_EQ(times.finished, 0U);
  EXPECT_TRUE(times.locked);
}

TEST(Flows, WhatIsOutOfRangeIsToldWithItsNumber) {
  const auto error = [](const FlowSpec& flow) {
    return user_error([&] { require_sound({{Rank{0}, Rank{1}, 1_B}, flow}, 4); });
  };
  EXPECT_EQ(error({Rank{3}, Rank{0}, 0_B}), "");
  EXPECT_NE(error({Rank{-1}, Rank{0}, 0_B}).find("flow 1: there is no host -1"), std::string::npos);
  EXPECT_NE(error({Rank{0}, Rank{1}, 1_B, Time{Duration{-1}}}).find("starts before time 0"),
            std::string::npos);
  EXPECT_EQ(error({Rank{0}, Rank{1}, kMostBytes, kLatestStart}), "");
  EXPECT_NE(error({Rank{0}, Rank{1}, kMostBytes + 1_B}).find("use at most"), std::string::npos);
  EXPECT_NE(error({Rank{0}, Rank{1}, 1_B, kLatestStart + 1_ps}).find("start by"), std::string::npos);
}

TEST(Patience, AsksTheCallerAndOnlyIfThereIsOne) {
  EXPECT_FALSE(Patience(RunLimits{}).asks());
  const RunLimits asked{.go_on = [](const RunSoFar& so_far) { return so_far.finished < 3; }};
  const Patience patience(asked);
  EXPECT_TRUE(patience.asks());
  EXPECT_TRUE(patience.lasts({.finished = 2}));
  EXPECT_FALSE(patience.lasts({.finished = 3}));
  const RunLimits no_time{.wall = std::chrono::seconds(0)};
  EXPECT_FALSE(Patience(no_time).lasts({.finished = 0}));
}

// ---- what links carried

// Every note kept, and counted per bin afterwards.
TEST(LinkLoad, BinsAreSumsAndPeaksOfWhatWasNotedInThem) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, 0);
    LinkLoad load(2, Duration{10}, 8);
    struct Note {
      int link;
      std::int64_t when;
      std::int64_t bytes;
      bool queue;
    };
    std::vector<Note> notes;
    const std::uint64_t span = 10 + random.below(5'000);
    for (int i = 0; i < 200; ++i) {
      const Note note{static_cast<int>(random.below(2)), static_cast<std::int64_t>(random.below(span)),
                      static_cast<std::int64_t>(random.below(100)), random.below(2) == 0};
      notes.push_back(note);
      if (note.queue) {
        load.queue(note.link, note.when, note.bytes);
      } else {
        load.carry(note.link, note.when, note.bytes);
      }
    }
    ASSERT_LE(load.bins(), 8);
    for (int bin = 0; bin < load.bins(); ++bin) {
      for (int link = 0; link < 2; ++link) {
        std::int64_t sum = 0;
        std::int64_t longest = 0;
        for (const Note& note : notes) {
          if (note.link != link || note.when / load.bin().count() != bin) continue;
          if (note.queue) {
            longest = std::max(longest, note.bytes);
          } else {
            sum += note.bytes;
          }
        }
        EXPECT_EQ(load.carried(bin, link), Bytes{sum}) << "seed " << seed;
        EXPECT_EQ(load.longest_queue(bin, link), Bytes{longest}) << "seed " << seed;
      }
    }
  }
}

TEST(LinkLoad, ARecordHasItsHistoryAndTotals) {
  NetworkRecord record = named_links(topology::star({.hosts = 2}).graph, NetworkRecord::Detail::queues);
  LinkLoad load(4, 1us, 16);
  load.carry(0, 500'000, 1'000);
  load.carry(0, 2'500'000, 4'000);
  load.queue(0, 1'500'000, 77);
  load.put_into(record);
  EXPECT_EQ(record.links[0].total.carried, 5'000_B);
  EXPECT_EQ(record.links[0].total.peak_queue, 77_B);
  EXPECT_EQ(record.links[0].total.busy, transfer_time(5'000_B, 100_Gbps));
  EXPECT_EQ(record.links[1].total.carried, 0_B);
  ASSERT_EQ(record.history.samples(), 3);
  EXPECT_EQ(record.history.at(0, 0).sent, 1'000_B);
  EXPECT_EQ(record.history.at(1, 0).sent, 1'000_B);
  EXPECT_EQ(record.history.at(2, 0).sent, 5'000_B) << "since time 0";
}

TEST(NamedLinks, AreThoseOfTheGraphInItsOrder) {
  const topology::Graph graph = topology::fat_tree({.k = 4}).graph;
  const NetworkRecord record = named_links(graph, NetworkRecord::Detail::packets);
  ASSERT_EQ(record.links.size(), graph.links().size());
  EXPECT_EQ(record.tiers, graph.tiers());
  EXPECT_EQ(record.links[0].from, "h0");
  EXPECT_EQ(record.links[0].to, "s0");
  std::set<std::pair<std::string, std::string>> ends;
  for (const NetworkRecord::Link& link : record.links) EXPECT_TRUE(ends.insert({link.from, link.to}).second);
}

TEST(NetworkRecord, CountersAreFoundByName) {
  NetworkRecord record;
  record.counters = {{"drops", 3}, {"marks", 5}};
  EXPECT_EQ(record.count("marks"), 5U);
  EXPECT_EQ(record.count("timeouts"), 0U);
}

// ---- faults

// Windows of a few cables of a star, against asking every window every time.
TEST(LinkFaults, AreWhatTheirWindowsSay) {
  const topology::Topology star = topology::star({.hosts = 4});
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, 0);
    Faults faults;
    faults.detection = Duration{static_cast<std::int64_t>(random.below(20))};
    for (std::uint64_t more = random.below(8); more > 0; --more) {
      LinkFault fault;
      fault.between = "h" + std::to_string(random.below(4)) + "-s0";
      fault.from = Duration{static_cast<std::int64_t>(random.below(50))};
      if (random.below(3) > 0)
        fault.until = fault.from + Duration{1 + static_cast<std::int64_t>(random.below(40))};
      if (random.below(3) == 0) fault.loss = 0.25;
      faults.links.push_back(fault);
    }
    require_sound(faults);
    const LinkFaults known(faults, star.graph);
    const auto of = [&](int host) { return "h" + std::to_string(host) + "-s0"; };
    for (std::int64_t t = 0; t < 110; ++t) {
      const Time now{Duration{t}};
      const std::vector<bool> known_down = known.known_down_at(now);
      for (int host = 0; host < 4; ++host) {
        bool down = false;
        bool told = false;
        double arrives = 1;
        for (const LinkFault& fault : faults.links) {
          if (fault.between != of(host)) continue;
          const bool holds = fault.from <= Duration{t} && (!fault.until || Duration{t} < *fault.until);
          if (fault.loss > 0) {
            arrives *= holds ? 0.75 : 1;
            continue;
          }
          down = down || holds;
          const Duration from = fault.from == Duration{} ? Duration{} : fault.from + *faults.detection;
          told = told ||
                 (from <= Duration{t} && (!fault.until || Duration{t} < *fault.until + *faults.detection));
        }
        const int up = star.graph.first_link(host);
        const int back = star.graph.first_link(4) + host;
        for (const int link : {up, back}) {
          ASSERT_EQ(known.is_down(link, now), down) << "seed " << seed << " at " << t;
          ASSERT_EQ(known.down_at(now)[static_cast<std::size_t>(link)], down);
          ASSERT_EQ(known_down[static_cast<std::size_t>(link)], told) << "seed " << seed << " at " << t;
          ASSERT_DOUBLE_EQ(known.loss(link, now), 1 - arrives);
        }
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(known.changes()));
    EXPECT_EQ(std::ranges::adjacent_find(known.changes()), known.changes().end());
  }
}

TEST(Faults, ADrawTakesTheShareOfAllOnceEach) {
  Faults faults;
  faults.seed = 5;
  for (const double share : {0.0, 0.1, 0.5, 1.0}) {
    const std::vector<int> drawn = draw_some(faults, "test", share, 40);
    EXPECT_EQ(static_cast<double>(drawn.size()), share * 40);
    EXPECT_TRUE(std::ranges::is_sorted(drawn));
    EXPECT_EQ(std::set<int>(drawn.begin(), drawn.end()).size(), drawn.size());
    for (const int number : drawn) EXPECT_TRUE(number >= 0 && number < 40);
  }
  EXPECT_EQ(draw_some(faults, "one", 0.5, 40), draw_some(faults, "one", 0.5, 40));
  EXPECT_NE(draw_some(faults, "one", 0.5, 40), draw_some(faults, "other", 0.5, 40));
}

NodeFault slower(double slowdown) {
  NodeFault fault;
  fault.node = 0;
  fault.slowdown = slowdown;
  return fault;
}

TEST(Faults, OnlyWhatTouchesLinksTouchesTheNetwork) {
  Faults faults;
  EXPECT_TRUE(faults.empty());
  faults.nodes = {slower(2)};
  EXPECT_FALSE(faults.empty());
  EXPECT_FALSE(faults.touch_network());
  EXPECT_EQ(user_error([&] { refuse_network_faults(faults, "analytical"); }), "");
  faults.nodes[0].dies = true;
  EXPECT_TRUE(faults.touch_network());
  EXPECT_NE(user_error([&] {
              refuse_network_faults(faults, "analytical");
            }).find("faults.nodes: analytical has no links that could fail"),
            std::string::npos);
}

TEST(Faults, NumbersOutOfRangeAreToldWithTheirKey) {
  const auto link = [](auto change) {
    LinkFault fault;
    fault.between = "h0-s0";
    change(fault);
    return user_error([&] { require_sound({.links = {fault}}); });
  };
  EXPECT_EQ(link([](LinkFault&) {}), "");
  EXPECT_NE(link([](LinkFault& f) { f.from = Duration{-1}; }).find("faults.links.0.from: is negative"),
            std::string::npos);
  EXPECT_NE(link([](LinkFault& f) { f.from = std::chrono::hours(1'000); }).find("too late"),
            std::string::npos);
  EXPECT_NE(link([](LinkFault& f) { f.share = 0.5; }).find("needs either `between`"), std::string::npos);
  EXPECT_NE(link([](LinkFault& f) { f.share = 2; }).find("is not from 0 to 1"), std::string::npos);
  EXPECT_NE(link([](LinkFault& f) { f.loss = 1; }).find("for a link that loses everything, leave `loss` out"),
            std::string::npos);
  const auto node = [](const NodeFault& fault) {
    return user_error([&] { require_sound({.nodes = {fault}}); });
  };
  EXPECT_EQ(node(slower(2)), "");
  EXPECT_NE(node(slower(0.5)).find("is not from 1 to 1e6"), std::string::npos);
  NodeFault unlikely = slower(2);
  unlikely.chance = 1.5;
  EXPECT_NE(node(unlikely).find("chance"), std::string::npos);
  NodeFault spread = slower(1);
  spread.spread = 4;
  EXPECT_NE(node(spread).find("is not from 0 to 3"), std::string::npos);
  EXPECT_NE(user_error([] { require_sound({.detection = Duration{-1}}); }).find("faults.detection"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::network
