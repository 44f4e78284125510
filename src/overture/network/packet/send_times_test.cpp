// When a sender samples the round trip: every segment that was sent once.
#include "overture/network/packet/send_times.h"

#include <gtest/gtest.h>

namespace overture::network::packet {
namespace {

constexpr std::uint32_t kSegment = 100;

TEST(SendTimes, EverySegmentOfABurstIsASample) {
  SendTimes times;
  for (std::uint64_t i = 0; i < 3; ++i) times.sent(100 * i, 100, 7, kSegment);
  EXPECT_EQ(times.acknowledged(100, kSegment), 7);
  EXPECT_EQ(times.acknowledged(200, kSegment), 7);
  EXPECT_FALSE(times.empty());
  EXPECT_EQ(times.acknowledged(300, kSegment), 7);
  EXPECT_TRUE(times.empty());
  EXPECT_EQ(times.acknowledged(300, kSegment), std::nullopt);
}

TEST(SendTimes, AnAckOfSeveralSamplesTheOldest) {
  SendTimes times;
  times.sent(0, 100, 1, kSegment);
  times.sent(100, 100, 2, kSegment);
  times.sent(200, 100, 3, kSegment);
  EXPECT_EQ(times.acknowledged(200, kSegment), 1);
  EXPECT_EQ(times.acknowledged(300, kSegment), 3);
}

TEST(SendTimes, AnAckOfNothingNewIsNoSample) {
  SendTimes times;
  times.sent(100, 100, 1, kSegment);
  EXPECT_EQ(times.acknowledged(100, kSegment), std::nullopt);
  EXPECT_EQ(times.acknowledged(0, kSegment), std::nullopt);
  EXPECT_EQ(times.acknowledged(200, kSegment), 1);
}

TEST(SendTimes, AShortSegmentEndsItsBurst) {
  SendTimes times;
  times.sent(0, 30, 5, kSegment);
  times.sent(30, 100, 5, kSegment);
  EXPECT_EQ(times.acknowledged(30, kSegment), 5);
  EXPECT_EQ(times.acknowledged(130, kSegment), 5);
  EXPECT_TRUE(times.empty());
}

TEST(SendTimes, WhatWasSentAgainIsNoSample) {
  SendTimes times;
  for (std::uint64_t i = 0; i < 4; ++i) times.sent(100 * i, 100, 7, kSegment);
  times.sent_again(100, 100, kSegment);
  EXPECT_EQ(times.acknowledged(100, kSegment), 7);
  EXPECT_EQ(times.acknowledged(200, kSegment), std::nullopt);
  EXPECT_EQ(times.acknowledged(300, kSegment), 7);
  EXPECT_EQ(times.acknowledged(400, kSegment), 7);
}

TEST(SendTimes, AnAckWhoseOldestSegmentWasSentAgainIsNoSample) {
  SendTimes times;
  times.sent(0, 100, 1, kSegment);
  times.sent(100, 100, 2, kSegment);
  times.sent_again(0, 100, kSegment);
  EXPECT_EQ(times.acknowledged(200, kSegment), std::nullopt);
  EXPECT_TRUE(times.empty());
}

TEST(SendTimes, WhatWasForgottenCannotBeSentAgain) {
  SendTimes times;
  times.sent(0, 100, 1, kSegment);
  times.clear();
  times.sent_again(0, 100, kSegment);
  EXPECT_TRUE(times.empty());
  times.sent(100, 100, 9, kSegment);
  EXPECT_EQ(times.acknowledged(200, kSegment), 9);
}

TEST(SendTimes, APacketSentAgainWithSomeOfTheNextOneIsOneSegment) {
  SendTimes times;
  times.sent(0, 40, 1, kSegment);
  times.sent(40, 100, 2, kSegment);
  times.sent_again(0, 100, kSegment);
  EXPECT_EQ(times.acknowledged(40, kSegment), std::nullopt);
  EXPECT_EQ(times.acknowledged(100, kSegment), std::nullopt);
  EXPECT_EQ(times.acknowledged(140, kSegment), 2);
}

}  // namespace
}  // namespace overture::network::packet
