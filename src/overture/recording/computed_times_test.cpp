#include "overture/recording/computed_times.h"

#include <gtest/gtest.h>

namespace overture::recording {
namespace {

Piece piece(Work work, std::int64_t begin, std::int64_t length) {
  return {.work = work, .numbers = {10, 0, 0}, .begin = begin, .length = length};
}

// Gathers of 100 ns each; in the second stretch one took 500, and 400 of these without a core.
PartyRecord one_interrupted() {
  PartyRecord party;
  party.events = {Computed{.at = 0, .thread = 5000},    piece(Work::gather, 0, 100),
                  piece(Work::gather, 100, 100),        Computed{.at = 1000, .thread = 5200},
                  piece(Work::gather, 1000, 100),       piece(Work::gather, 1100, 500),
                  Computed{.at = 2000, .thread = 5400}, piece(Work::gather, 2000, 900)};
  return party;
}

TEST(ComputedTimes, TheTimeWithoutACoreIsThatOfThePiecesThatTookLonger) {
  const ComputedTimes times(one_interrupted());
  EXPECT_EQ(times.computed(0, 100), 100);
  EXPECT_EQ(times.computed(1000, 100), 100);
  EXPECT_EQ(times.computed(1100, 500), 100);
}

TEST(ComputedTimes, AreWholeWhereNothingIsKnown) {
  const ComputedTimes times(one_interrupted());
  EXPECT_EQ(times.computed(2000, 900), 900) << "after the last reading";
  EXPECT_EQ(times.computed(77, 40), 40) << "no such piece";
  EXPECT_EQ(ComputedTimes(PartyRecord{}).computed(7, 3), 3);
}

// All took as long as their like, so nothing tells which of them had no core.
TEST(ComputedTimes, AreSharedAlikeWherePiecesAreAlike) {
  PartyRecord party;
  party.events = {Computed{.at = 0}, piece(Work::gather, 0, 600), piece(Work::gather, 600, 600),
                  Computed{.at = 2000, .thread = 600}};
  const ComputedTimes times(party);
  EXPECT_EQ(times.computed(0, 600), 300);
  EXPECT_EQ(times.computed(600, 600), 300);
}

TEST(ComputedTimes, ReceivingComputesToo) {
  PartyRecord party;
  for (int i = 0; i < 3; ++i) {
    party.events.emplace_back(Computed{.at = 10 * i, .thread = 50 * i});
    party.events.emplace_back(Received{.at = 10 * i + 5});
  }
  party.events.insert(party.events.end(), {Computed{.at = 30, .thread = 150}, piece(Work::gather, 30, 100),
                                           Received{.at = 140}, Computed{.at = 200, .thread = 280}});
  const ComputedTimes times(party);
  EXPECT_EQ(times.receiving(), 50);
  EXPECT_EQ(times.computed(30, 100), 80) << "130 ns, of which 50 received";
}

TEST(ComputedTimes, AreNeverNothing) {
  PartyRecord party;
  party.events = {Computed{.at = 0}, piece(Work::gather, 0, 100), Computed{.at = 1000, .thread = 0}};
  EXPECT_GT(ComputedTimes(party).computed(0, 100), 0);
}

}  // namespace
}  // namespace overture::recording
