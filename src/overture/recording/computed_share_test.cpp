#include "overture/recording/computed_share.h"

#include <gtest/gtest.h>

namespace overture::recording {
namespace {

Piece piece(std::int64_t begin, std::int64_t length) { return {.begin = begin, .length = length}; }

// Two stretches: in the first it worked for 800 ns and had a core for 400; in the second for all of it.
PartyRecord half_then_whole() {
  PartyRecord party;
  party.events = {
      Computed{.at = 0, .thread = 5000},    piece(0, 600),    Sent{.begin = 600, .length = 200},
      Computed{.at = 1000, .thread = 5400}, piece(1000, 500), Computed{.at = 2000, .thread = 5900}};
  return party;
}

TEST(ComputedShare, IsWhatTheThreadComputedOfWhatItsPiecesTook) {
  const ComputedShare share(half_then_whole());
  EXPECT_DOUBLE_EQ(share.at(0), 0.5);
  EXPECT_DOUBLE_EQ(share.at(999), 0.5);
  EXPECT_DOUBLE_EQ(share.at(1000), 1);
  EXPECT_EQ(share.computed(100, 60), 30);
}

TEST(ComputedShare, IsWholeWhereNothingIsKnown) {
  const ComputedShare share(half_then_whole());
  EXPECT_DOUBLE_EQ(share.at(-1), 1);
  EXPECT_DOUBLE_EQ(share.at(1'000'000), 1);
  EXPECT_DOUBLE_EQ(ComputedShare(PartyRecord{}).at(7), 1);
}

TEST(ComputedShare, ReceivingComputesToo) {
  PartyRecord party;
  party.events = {Computed{.at = 0}, piece(0, 100), Computed{.at = 1000, .thread = 300}};
  EXPECT_DOUBLE_EQ(ComputedShare(party).at(0), 1);
}

TEST(ComputedShare, IsNeverNothing) {
  PartyRecord party;
  party.events = {Computed{.at = 0}, piece(0, 100), Computed{.at = 1000, .thread = 0}};
  EXPECT_GT(ComputedShare(party).at(0), 0);
}

}  // namespace
}  // namespace overture::recording
