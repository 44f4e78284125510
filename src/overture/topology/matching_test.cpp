#include "overture/topology/matching.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace overture::topology {
namespace {

TEST(CircleMatchings, OfFourToRsAreTheIdentityAndThreeRounds) {
  EXPECT_EQ(circle_matchings(4),
            (std::vector<Matching>{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}}));
}

TEST(CircleMatchings, OfAnOddNumberLeaveOneToRAloneInEach) {
  EXPECT_EQ(circle_matchings(3), (std::vector<Matching>{{0, 2, 1}, {1, 0, 2}, {2, 1, 0}}));
  for (const int tors : {5, 7, 9}) {
    std::set<int> alone;
    for (const Matching& matching : circle_matchings(tors)) {
      int own = 0;
      for (int tor = 0; tor < tors; ++tor) {
        if (matching[static_cast<std::size_t>(tor)] != tor) continue;
        ++own;
        alone.insert(tor);
      }
      EXPECT_EQ(own, 1);
    }
    EXPECT_EQ(static_cast<int>(alone.size()), tors) << "every ToR is left out once";
  }
}

TEST(CircleMatchings, OfAnEvenNumberLeaveNobodyAloneButInTheIdentity) {
  for (const int tors : {2, 6, 10, 16}) {
    const std::vector<Matching> matchings = circle_matchings(tors);
    for (std::size_t i = 1; i < matchings.size(); ++i) {
      for (int tor = 0; tor < tors; ++tor) EXPECT_NE(matchings[i][static_cast<std::size_t>(tor)], tor);
    }
  }
}

TEST(CircleMatchings, OfOneToRIsItself) { EXPECT_EQ(circle_matchings(1), (std::vector<Matching>{{0}})); }

// How often every ordered pair meets.
std::map<std::pair<int, int>, int> meetings(const std::vector<Matching>& matchings) {
  std::map<std::pair<int, int>, int> count;
  for (const Matching& matching : matchings) {
    for (std::size_t tor = 0; tor < matching.size(); ++tor) ++count[{static_cast<int>(tor), matching[tor]}];
  }
  return count;
}

TEST(Mix, ASwapChangesAtMostTwoMatchingsAndNoPairsMeetings) {
  RandomStream random(5, 0);
  for (int tors = 2; tors <= 13; ++tors) {
    std::vector<Matching> matchings = circle_matchings(tors);
    const auto met = meetings(matchings);
    for (int swap = 0; swap < 30; ++swap) {
      const std::vector<Matching> before = matchings;
      mix(matchings, 1, random);
      int changed = 0;
      for (std::size_t i = 0; i < matchings.size(); ++i) changed += matchings[i] == before[i] ? 0 : 1;
      ASSERT_LE(changed, 2) << tors;
      ASSERT_NE(changed, 1) << "what one loses the other gets";
      ASSERT_EQ(meetings(matchings), met) << tors;
    }
  }
}

TEST(Mix, OfOneMatchingOrWithoutSwapsChangesNothing) {
  RandomStream random(5, 0);
  std::vector<Matching> one{{0}};
  mix(one, 100, random);
  EXPECT_EQ(one, (std::vector<Matching>{{0}}));
  std::vector<Matching> six = circle_matchings(6);
  mix(six, 0, random);
  EXPECT_EQ(six, circle_matchings(6));
}

TEST(Mix, TheSameStreamGivesTheSameMatchings) {
  const auto mixed = [](std::uint64_t seed) {
    RandomStream random(seed, 0);
    std::vector<Matching> matchings = circle_matchings(12);
    mix(matchings, 500, random);
    return matchings;
  };
  EXPECT_EQ(mixed(1), mixed(1));
  EXPECT_NE(mixed(1), mixed(2));
}

TEST(MeetsEveryPairOnce, RefusesSetsOfTheWrongSize) {
  EXPECT_TRUE(meets_every_pair_once({}));
  EXPECT_FALSE(meets_every_pair_once({{0, 1}})) << "the pair (0, 1) never meets";
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {1, 0}, {0, 1}}));
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {1}}));
}

TEST(MeetsEveryPairOnce, RefusesPeersThatDoNotExist) {
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {-1, 0}}));
  EXPECT_FALSE(meets_every_pair_once({{0, 1}, {2, 0}}));
}

TEST(MeetsEveryPairOnce, RefusesCircuitsThatGoOneWay) {
  // A permutation, and every ordered pair once; but 0 faces 1 while 1 faces 2.
  EXPECT_FALSE(meets_every_pair_once({{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}));
}

TEST(MeetsEveryPairOnce, AnySingleChangeIsSeen) {
  RandomStream random(9, 0);
  for (int round = 0; round < 200; ++round) {
    const std::size_t tors = 2 + random.below(10);
    std::vector<Matching> matchings = circle_matchings(static_cast<int>(tors));
    mix(matchings, 20, random);
    int& entry = matchings[random.below(tors)][random.below(tors)];
    const int other = static_cast<int>(random.below(tors));
    const bool same = entry == other;
    entry = other;
    EXPECT_EQ(meets_every_pair_once(matchings), same);
  }
}

}  // namespace
}  // namespace overture::topology
