// What a sender knows of lost segments, and what a receiver tells about those it holds.
#include "overture/network/packet/scoreboard.h"

#include <vector>

#include <gtest/gtest.h>

#include "overture/network/packet/reassembly.h"

namespace overture::network::packet {
namespace {

Scoreboard segments(std::uint64_t count) {
  Scoreboard board;
  for (std::uint64_t i = 0; i < count; ++i) board.append(100 * i, 100);
  return board;
}

TEST(Scoreboard, ThreeSelectivelyAcknowledgedAboveMakeALoss) {
  Scoreboard board = segments(6);
  EXPECT_EQ(board.sack(200, 400), 200);
  board.detect(3);
  EXPECT_EQ(board.next_lost(), nullptr);
  EXPECT_FALSE(board.is_lost(0));
  EXPECT_EQ(board.sack(200, 500), 100);  // only the third is news
  board.detect(3);
  EXPECT_TRUE(board.is_lost(0));
  EXPECT_FALSE(board.is_lost(200));   // arrived
  EXPECT_FALSE(board.is_lost(500));   // above all that arrived
  EXPECT_EQ(board.in_flight(), 100);  // two lost, three arrived, one on its way
  ASSERT_NE(board.next_lost(), nullptr);
  EXPECT_EQ(board.next_lost()->begin, 0);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.next_lost()->begin, 100);
  EXPECT_EQ(board.acknowledge(500), 200);
  EXPECT_EQ(board.in_flight(), 100);
  EXPECT_TRUE(board.clean());
}

TEST(Scoreboard, AfterATimeoutAllThatIsNotKnownToHaveArrivedIsSentAgain) {
  Scoreboard board = segments(4);
  board.sack(200, 300);
  board.lose_all();
  EXPECT_EQ(board.in_flight(), 0);
  std::vector<std::uint64_t> resent;
  while (Scoreboard::Segment* const lost = board.next_lost()) {
    resent.push_back(lost->begin);
    board.resend(*lost, 100);
  }
  EXPECT_EQ(resent, (std::vector<std::uint64_t>{0, 100, 300}));
}

TEST(Scoreboard, WhatWasSentAgainIsInFlightUntilItIsAcknowledgedInOrder) {
  Scoreboard board = segments(3);
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.in_flight(), 200);
  EXPECT_EQ(board.sack(100, 200), 100);
  EXPECT_EQ(board.in_flight(), 200);
  EXPECT_TRUE(board.resent_until(100));
  EXPECT_FALSE(board.resent_until(200));  // it has arrived
  EXPECT_TRUE(board.resent_until(200, 100, 2));
  EXPECT_EQ(board.acknowledge(200), 100);
  EXPECT_EQ(board.in_flight(), 0);
}

TEST(Scoreboard, WhatIsSentAgainUnaskedCountsTwice) {
  Scoreboard board = segments(3);
  ASSERT_NE(board.next_unresent(), nullptr);
  board.resend(*board.next_unresent(), 100);
  EXPECT_EQ(board.in_flight(), 400);
  EXPECT_EQ(board.next_unresent()->begin, 100);
}

// A message's short last segment, then those of the next message.
Scoreboard short_first() {
  Scoreboard board;
  board.append(0, 40);
  board.append(40, 100);
  board.append(140, 100);
  return board;
}

TEST(Scoreboard, AShortSegmentIsSentAgainWithSomeOfTheNextOne) {
  Scoreboard board = short_first();
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.first().length, 100);
  EXPECT_EQ(board.in_flight(), 100);
  ASSERT_NE(board.next_lost(), nullptr);
  EXPECT_EQ(board.next_lost()->begin, 100);
  EXPECT_EQ(board.next_lost()->length, 40);
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.next_lost()->begin, 200);
  EXPECT_EQ(board.outstanding(), 240);
}

TEST(Scoreboard, TwoSegmentsThatFitIntoAPacketBecomeOne) {
  Scoreboard board;
  board.append(0, 40);
  board.append(40, 50);
  board.append(90, 100);
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.first().length, 90);  // at most two, even if more fits
  EXPECT_EQ(board.next_lost()->begin, 90);
  EXPECT_EQ(board.acknowledge(90), 90);
  EXPECT_EQ(board.in_flight(), 0);
}

TEST(Scoreboard, NothingIsTakenFromASegmentThatArrivedOrIsNotLost) {
  Scoreboard arrived = short_first();
  arrived.sack(40, 140);
  arrived.lose_all();
  arrived.resend(*arrived.next_lost(), 100);
  EXPECT_EQ(arrived.first().length, 40);

  Scoreboard lost = short_first();
  lost.lose_first();
  lost.resend(*lost.next_lost(), 100);
  EXPECT_EQ(lost.first().length, 40);
}

TEST(Scoreboard, AnAckMayCutASegmentThatGrewWhenItWasSentAgain) {
  Scoreboard board = short_first();
  board.lose_all();
  board.resend(*board.next_lost(), 100);
  EXPECT_EQ(board.acknowledge(40), 40);  // the first packet was late, not lost
  EXPECT_EQ(board.first().begin, 40);
  EXPECT_EQ(board.first().length, 60);
  EXPECT_EQ(board.in_flight(), 60);
  EXPECT_EQ(board.outstanding(), 200);
  EXPECT_EQ(board.acknowledge(240), 200);
  EXPECT_TRUE(board.clean());
}

TEST(Scoreboard, IsKeptWhileASegmentThatWasCutIsOutstanding) {
  Scoreboard board = segments(1);
  board.append_cut(100, 30);
  board.append(130, 100);
  EXPECT_FALSE(board.clean());
  board.acknowledge(100);
  EXPECT_FALSE(board.clean());
  board.acknowledge(130);
  EXPECT_TRUE(board.clean());
}

std::vector<std::uint64_t> begins(const SackBlocks& blocks) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < blocks.count; ++i) result.push_back(blocks.blocks[static_cast<std::size_t>(i)].begin);
  return result;
}

TEST(Reassembly, TellsTheFourNewestBlocks) {
  Reassembly held;
  for (const std::uint64_t begin : {100, 300, 500, 700, 900}) {
    EXPECT_TRUE(held.add({begin, begin + 100}, 0));
  }
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{900, 700, 500, 300}));
  EXPECT_FALSE(held.add({500, 600}, 0));  // held already: nothing changes
  EXPECT_TRUE(held.add({600, 700}, 0));   // joins its neighbours
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{500, 900, 300}));
  EXPECT_EQ(held.blocks().bytes(), 28);
  EXPECT_TRUE(held.add({0, 100}, 0));
  EXPECT_EQ(held.release(0), 200);  // with the block that was forgotten
  EXPECT_EQ(held.release(400), 400);
  EXPECT_EQ(begins(held.blocks()), (std::vector<std::uint64_t>{500, 900}));
}

}  // namespace
}  // namespace overture::network::packet
