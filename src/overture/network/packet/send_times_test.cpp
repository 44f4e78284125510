// When a sender samples the round trip: every segment that was sent once.
#include "overture/network/packet/send_times.h"

#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"

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

// A list of packets, each with its time.
class PlainTimes {
 public:
  void sent(std::uint64_t begin, std::uint32_t length, std::int64_t now) {
    packets_.push_back({begin, begin + length, now, false});
  }
  std::uint64_t send_again(std::size_t packet) {
    packets_[packet].again = true;
    return packets_[packet].begin;
  }
  std::optional<std::int64_t> acknowledged(std::size_t packets) {
    if (packets == 0) return std::nullopt;
    const bool again = packets_.front().again;
    const std::int64_t when = packets_.front().when;
    packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(packets));
    return again ? std::nullopt : std::optional(when);
  }
  std::size_t size() const { return packets_.size(); }
  std::uint64_t begin(std::size_t packet) const { return packets_[packet].begin; }
  std::uint64_t end(std::size_t packet) const { return packets_[packet].end; }

 private:
  struct Packet {
    std::uint64_t begin;
    std::uint64_t end;
    std::int64_t when;
    bool again;
  };
  std::vector<Packet> packets_;
};

TEST(SendTimes, AnswerAsAListOfAllPacketsDoes) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed, 0);
    SendTimes times;
    PlainTimes plain;
    std::uint64_t next = 0;
    std::int64_t now = 1;
    for (int step = 0; step < 500; ++step) {
      now += static_cast<std::int64_t>(random.below(2));  // often several at the same time
      const std::uint64_t kind = random.below(10);
      if (plain.size() == 0 || kind < 5) {
        const auto length =
            static_cast<std::uint32_t>(random.below(5) == 0 ? 1 + random.below(kSegment) : kSegment);
        times.sent(next, length, now, kSegment);
        plain.sent(next, length, now);
        next += length;
      } else if (kind < 7) {
        const std::size_t packet = random.below(plain.size());
        const auto length = static_cast<std::uint32_t>(plain.end(packet) - plain.begin(packet));
        times.sent_again(plain.send_again(packet), length, kSegment);
      } else {
        const std::size_t covered = 1 + random.below(plain.size());
        const std::uint64_t ack = plain.end(covered - 1);
        ASSERT_EQ(times.acknowledged(ack, kSegment), plain.acknowledged(covered)) << "seed " << seed;
        ASSERT_EQ(times.empty(), plain.size() == 0) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace overture::network::packet
