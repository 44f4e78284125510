// What all networks have in common, each part alone: histories of links, patterns of exchanges, messages that
// cannot arrive, places for what is under way.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/network/exchange.h"
#include "overture/network/link_history.h"
#include "overture/network/link_load.h"
#include "overture/network/undeliverable.h"

namespace overture::network {
namespace {

using namespace literals;

TEST(LinkHistory, HalvesItsSamplesWhenTheyAreFull) {
  LinkHistory history({.interval = 1us, .samples = 4}, 1);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(history.next(), Time{Duration{1us} * i});
    history.add({{.sent = Bytes{100 * i}, .queued = Bytes{i == 1 ? 50 : 10}}});
  }
  history.add({{.sent = Bytes{400}, .queued = Bytes{0}}});
  EXPECT_EQ(history.samples(), 2);
  EXPECT_EQ(history.interval(), Duration{2us});
  EXPECT_EQ(history.at(0, 0).sent, 200_B);
  EXPECT_EQ(history.at(0, 0).queued, 50_B) << "the longer queue of the two";
  EXPECT_EQ(history.at(1, 0).sent, 400_B);
  EXPECT_EQ(history.next(), Time{6us});
}

TEST(LinkHistory, IsBoundedHoweverLongARunIs) {
  LinkHistory history({.interval = 1ns, .samples = 8}, 3);
  while (history.next() <= Time{1s}) {
    history.add(std::vector<LinkState>(3));
    ASSERT_LT(history.samples(), 8);
  }
  EXPECT_GT(history.interval() * 8, Duration{1s});
}

// 12,500 bytes of a link of 100 Gbps are 1 us.
TEST(LinkHistory, UtilisationIsTheShareSinceTheSampleBefore) {
  LinkHistory history({.interval = 2us, .samples = 4}, 1);
  history.add({{.sent = 12'500_B}});
  history.add({{.sent = 37'500_B}});
  EXPECT_DOUBLE_EQ(history.utilisation(0, 0, 100_Gbps), 0.5);
  EXPECT_DOUBLE_EQ(history.utilisation(1, 0, 100_Gbps), 1.0);
}

TEST(LinkHistory, TheLastMomentIsNeverBeyondTime) {
  LinkHistory history({.interval = Duration::max() / 4, .samples = 8}, 1);
  for (int i = 0; i < 6; ++i) {
    EXPECT_GT(history.next(), Time{});
    history.add({{}});
  }
  EXPECT_EQ(history.next(), Time::max());
}

TEST(Monitor, SaysWhatCannotWork) {
  EXPECT_EQ(user_error([] { require_sound(MonitorConfig{}); }), "");
  EXPECT_NE(user_error([] { require_sound(MonitorConfig{.interval = Duration{}}); }), "");
  for (const int samples : {0, 1, 3, 2'000'000})
    EXPECT_NE(user_error([&] { require_sound(MonitorConfig{.samples = samples}); }), "") << samples;
}

TEST(Monitor, ManyLinksHaveFewerSamples) {
  EXPECT_EQ(bounded({.samples = 256}, 100).samples, 256);
  EXPECT_EQ(bounded({.samples = 256}, 100'000).samples, 40);
  EXPECT_EQ(bounded({.samples = 256}, 100'000'000).samples, 2);
  EXPECT_EQ(bounded({.samples = 256}, 0).samples, 256);
}

// However bins are joined, nothing that was carried is lost.
TEST(LinkLoad, KeepsEveryByte) {
  RandomStream random(3, 0);
  LinkLoad load(3, 1ns, 8);
  std::vector<std::int64_t> carried(3);
  for (int i = 0; i < 2000; ++i) {
    const int link = static_cast<int>(random.below(3));
    const auto when = static_cast<std::int64_t>(random.below(1'000'000));
    const auto bytes = static_cast<std::int64_t>(random.below(9000));
    if (random.below(2) == 0) {
      load.carry(link, when, bytes);
    } else {
      load.carry_during(link, when, static_cast<std::int64_t>(random.below(500'000)), bytes);
    }
    carried[static_cast<std::size_t>(link)] += bytes;
  }
  EXPECT_LE(load.bins(), 8);
  for (int link = 0; link < 3; ++link) {
    Bytes sum{};
    for (int bin = 0; bin < load.bins(); ++bin) sum += load.carried(bin, link);
    EXPECT_EQ(sum, Bytes{carried[static_cast<std::size_t>(link)]});
  }
}

TEST(LinkLoad, WhatLeavesEvenlyIsSpreadOverItsBins) {
  LinkLoad load(1, 1us, 16);
  load.carry_during(0, 500'000, 2'000'000, 4000);  // from 0.5 us to 2.5 us
  EXPECT_EQ(load.carried(0, 0), 1000_B);
  EXPECT_EQ(load.carried(1, 0), 2000_B);
  EXPECT_EQ(load.carried(2, 0), 1000_B);
}

std::map<std::pair<Rank, Rank>, int> pairs_of(Pattern pattern, const std::vector<Rank>& group) {
  std::map<std::pair<Rank, Rank>, int> pairs;
  for_each_pair(pattern, group, [&](Rank from, Rank to) { ++pairs[{from, to}]; });
  return pairs;
}

TEST(Exchange, EveryPairOfAPatternOccursOnceAndNobodySendsToItself) {
  const std::vector<Rank> group{Rank{5}, Rank{2}, Rank{9}, Rank{0}};
  for (const Pattern pattern : {Pattern::ring, Pattern::all_pairs, Pattern::to_first, Pattern::from_first}) {
    const auto pairs = pairs_of(pattern, group);
    EXPECT_EQ(static_cast<std::int64_t>(pairs.size()), messages(pattern, group.size()));
    for (const auto& [pair, count] : pairs) {
      EXPECT_EQ(count, 1);
      EXPECT_NE(pair.first, pair.second);
    }
  }
}

TEST(Exchange, PatternsAreWhatTheyAreCalled) {
  const std::vector<Rank> group{Rank{5}, Rank{2}, Rank{9}};
  EXPECT_TRUE(pairs_of(Pattern::ring, group).contains({Rank{9}, Rank{5}}));
  EXPECT_FALSE(pairs_of(Pattern::ring, group).contains({Rank{5}, Rank{9}}));
  for (const auto& [pair, count] : pairs_of(Pattern::to_first, group)) EXPECT_EQ(pair.second, Rank{5});
  for (const auto& [pair, count] : pairs_of(Pattern::from_first, group)) EXPECT_EQ(pair.first, Rank{5});
}

TEST(Exchange, OneRankAloneSendsNothing) {
  for (const Pattern pattern : {Pattern::ring, Pattern::all_pairs, Pattern::to_first, Pattern::from_first}) {
    EXPECT_TRUE(pairs_of(pattern, {Rank{3}}).empty());
    EXPECT_EQ(messages(pattern, 1), 0);
    EXPECT_EQ(messages(pattern, 0), 0);
  }
}

// In an all-to-all no rank is everybody's first: the k-th messages of all go to different ranks.
TEST(Exchange, AllPairsAreRotated) {
  std::vector<Rank> group(6);
  for (int r = 0; r < 6; ++r) group[static_cast<std::size_t>(r)] = Rank{r};
  std::map<Rank, std::vector<Rank>> sent;
  for_each_pair(Pattern::all_pairs, group, [&](Rank from, Rank to) { sent[from].push_back(to); });
  for (std::size_t k = 0; k < 5; ++k) {
    std::set<Rank> receivers;
    for (const auto& [from, all] : sent) receivers.insert(all[k]);
    EXPECT_EQ(receivers.size(), 6U);
  }
}

// Host 1 is cut off from 100 ps on.
struct OneCutOff : LastPaths {
  std::int64_t settled() const override { return 100; }
  bool cut_off(int from, int to) override { return from == 1 || to == 1; }
  std::string reason(int, int) override { return "its cable is down"; }
};

TEST(Undeliverable, CountsOnlyOnceNothingChangesAnyMore) {
  OneCutOff paths;
  Undeliverable undeliverable(&paths);
  undeliverable.posted(0, 0, 1);
  undeliverable.posted(1, 0, 2);
  EXPECT_EQ(undeliverable.count(99), 0U);
  EXPECT_EQ(undeliverable.count(100), 1U);
  EXPECT_EQ(undeliverable.tell(100), std::vector<std::string>{"h0 to h1: its cable is down"});
}

TEST(Undeliverable, WhatArrivesAfterAllIsNotLost) {
  OneCutOff paths;
  Undeliverable undeliverable(&paths);
  undeliverable.posted(0, 0, 1);
  EXPECT_EQ(undeliverable.count(100), 1U);
  undeliverable.delivered(0);
  EXPECT_EQ(undeliverable.count(101), 0U);
  undeliverable.posted(0, 2, 3);  // the number is used again
  EXPECT_EQ(undeliverable.count(102), 0U);
  undeliverable.posted(1, 1, 3);
  EXPECT_EQ(undeliverable.count(103), 1U);
}

TEST(Undeliverable, WithoutFaultsNothingIs) {
  Undeliverable undeliverable(nullptr);
  undeliverable.posted(7, 0, 1);
  undeliverable.delivered(7);
  EXPECT_EQ(undeliverable.count(1'000'000), 0U);
  EXPECT_TRUE(undeliverable.tell(1'000'000).empty());
}

}  // namespace
}  // namespace overture::network
