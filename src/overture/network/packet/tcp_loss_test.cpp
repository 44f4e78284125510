// What a TCP sender does about losses, and what a receiver tells it.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/network/packet/testing_tcp.h"

namespace overture::network::packet {
namespace {

std::uint64_t segments_given(TcpBench& bench) { return bench.flow().next / kSegment; }

// ---- losses

TEST(TcpLoss, ATimeoutSendsTheFirstSegmentAgainAndHalvesTheThreshold) {
  TcpBench bench;
  bench.write(100'000);
  bench.wait_until(Time{12us});
  bench.sent();
  bench.wait_until(Time{17us});
  EXPECT_EQ(bench.tcp.counts().retransmissions, 1U);
  EXPECT_EQ(bench.flow().cwnd, kSegment);
  EXPECT_EQ(bench.flow().ssthresh, 5 * kSegment) << "ten were in flight";
  EXPECT_EQ(bench.flow().state, CongestionState::loss);
  const std::vector<SeenPacket> sent = bench.sent();
  EXPECT_TRUE(std::ranges::any_of(sent, [](const SeenPacket& s) { return s == std::pair{0U, kSegment}; }));
}

TEST(TcpLoss, AfterATimeoutTheWindowGrowsByASegmentAnAckAgain) {
  TcpBench bench;
  bench.write(100'000);
  bench.wait_until(Time{13us});
  ASSERT_EQ(bench.flow().state, CongestionState::loss);
  bench.ack(kSegment);
  EXPECT_EQ(bench.flow().cwnd, 2 * kSegment);
  EXPECT_EQ(bench.tcp.counts().retransmissions, 3U) << "the first, and two more";
  bench.ack(10 * kSegment);
  EXPECT_EQ(bench.flow().state, CongestionState::open) << "all that was lost is acknowledged";
}

TEST(TcpLoss, ThreeBlocksAboveAGapStartRecovery) {
  TcpBench bench;
  bench.write(100'000);
  bench.ack(0, {{1'000, 2'000}});
  EXPECT_EQ(bench.flow().state, CongestionState::disorder);
  EXPECT_EQ(segments_given(bench), 11U) << "what arrived makes room for something new (RFC 3042)";
  bench.ack(0, {{1'000, 3'000}});
  EXPECT_EQ(segments_given(bench), 12U);
  bench.ack(0, {{1'000, 4'000}});
  EXPECT_EQ(bench.flow().state, CongestionState::recovery);
  EXPECT_EQ(bench.tcp.counts().recoveries, 1U);
  EXPECT_EQ(bench.tcp.counts().retransmissions, 1U);
  // Twelve were sent; three arrived and one is lost: eight in flight, of which half may be.
  EXPECT_EQ(bench.flow().ssthresh, 4 * kSegment);
  EXPECT_EQ(bench.flow().recover, 12U * kSegment);
}

TEST(TcpLoss, RecoveryEndsWithTheWindowAtTheThreshold) {
  TcpBench bench;
  bench.write(100'000);
  for (const std::uint32_t end : {2'000U, 3'000U, 4'000U}) bench.ack(0, {{1'000, end}});
  ASSERT_EQ(bench.flow().state, CongestionState::recovery);
  bench.ack(12 * kSegment);
  EXPECT_EQ(bench.flow().state, CongestionState::open);
  EXPECT_GE(bench.flow().cwnd, 4 * kSegment);
  EXPECT_LE(bench.flow().cwnd, 5 * kSegment) << "the threshold, and what this ACK adds";
}

TEST(TcpLoss, OneRecoveryIsOneReductionHoweverManyAreLost) {
  TcpBench bench;
  bench.write(100'000);
  // 0, 2 and 4 are lost.
  bench.ack(0, {{1'000, 2'000}});
  bench.ack(0, {{3'000, 4'000}, {1'000, 2'000}});
  bench.ack(0, {{5'000, 6'000}, {3'000, 4'000}, {1'000, 2'000}});
  const std::uint32_t threshold = bench.flow().ssthresh;
  bench.ack(0, {{5'000, 7'000}, {3'000, 4'000}, {1'000, 2'000}});
  bench.ack(0, {{5'000, 8'000}, {3'000, 4'000}, {1'000, 2'000}});
  bench.ack(2'000, {{5'000, 8'000}, {3'000, 4'000}});
  bench.ack(4'000, {{5'000, 8'000}});
  EXPECT_EQ(bench.tcp.counts().recoveries, 1U);
  EXPECT_EQ(bench.flow().ssthresh, threshold);
  EXPECT_EQ(bench.tcp.counts().retransmissions, 3U) << "each once";
}

// NextSeg of RFC 6675: what is lost goes before what is new.
TEST(TcpLoss, WhatIsLostGoesFirst) {
  TcpBench bench;
  bench.write(100'000);
  bench.ack(0, {{2'000, 5'000}});  // three at once: 0 and 1 are lost
  ASSERT_EQ(bench.flow().state, CongestionState::recovery);
  bench.wait_until(Time{200us});
  std::vector<std::uint32_t> again;
  std::uint64_t highest = 0;
  for (const SeenPacket& seen : bench.sent()) {
    if (seen.sequence < highest) again.push_back(seen.sequence);
    highest = std::max<std::uint64_t>(highest, seen.sequence);
  }
  ASSERT_GE(again.size(), 1U);
  EXPECT_EQ(again[0], 0U);
}

TEST(TcpLoss, ADuplicateWithoutNewsIsNotOne) {
  TcpBench bench;
  bench.write(100'000);
  for (int i = 0; i < 10; ++i) bench.ack(0);
  EXPECT_EQ(bench.flow().state, CongestionState::open) << "no block says that anything arrived";
  for (int i = 0; i < 10; ++i) bench.ack(0, {{1'000, 2'000}});
  EXPECT_EQ(bench.flow().state, CongestionState::disorder);
  EXPECT_EQ(bench.tcp.counts().recoveries, 0U) << "the same block ten times is one arrival";
}

TEST(TcpLoss, AnAckFromThePastChangesNothing) {
  TcpBench bench;
  bench.write(100'000);
  bench.ack(5 * kSegment);
  const std::uint32_t window = bench.flow().cwnd;
  const std::uint64_t next = bench.flow().next;
  bench.ack(3 * kSegment);
  EXPECT_EQ(bench.flow().cwnd, window);
  EXPECT_EQ(bench.flow().next, next);
  EXPECT_EQ(bench.flow().unacked, 5U * kSegment);
}

TEST(TcpLoss, MoreDuplicatesMayBeAskedFor) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().duplicate_acks = 5;
  TcpBench bench(config);
  bench.write(100'000);
  for (const std::uint32_t end : {2'000U, 3'000U, 4'000U, 5'000U}) bench.ack(0, {{1'000, end}});
  EXPECT_EQ(bench.tcp.counts().recoveries, 0U);
  bench.ack(0, {{1'000, 6'000}});
  EXPECT_EQ(bench.tcp.counts().recoveries, 1U);
}

TEST(TcpLoss, OnceAllIsWellAgainNothingOfItIsLeft) {
  TcpBench bench;
  bench.write(20'000);
  bench.ack(0, {{1'000, 4'000}});
  ASSERT_TRUE(bench.flow().troubled);
  while (bench.flow().unacked < 20'000) bench.ack(static_cast<std::uint32_t>(bench.flow().next));
  EXPECT_FALSE(bench.flow().troubled);
  EXPECT_EQ(bench.flow().losses, kNone);
  EXPECT_EQ(bench.flow().deadline, kNoTimer);
}

// ---- the receiver

// Host 0 opens the connection by sending; its packets do not arrive by themselves.
struct Receiving : TcpBench {
  explicit Receiving(const PacketConfig& config = plain_tcp(), std::int64_t bytes = 10'000)
      : TcpBench(config) {
    write(bytes);
  }
  std::vector<Answer> after(Duration wait = 5us) {
    wait_until(Time{Duration{fabric.now()}} + wait);
    return answers();
  }
};

using Blocks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(TcpReceiver, AcknowledgesEveryPacketAtOnce) {
  Receiving bench;
  bench.data(0, 1'000);
  bench.data(1'000, 1'000);
  const auto answers = bench.after();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].expected, 1'000U);
  EXPECT_EQ(answers[1].expected, 2'000U);
  EXPECT_TRUE(answers[1].blocks.empty());
  EXPECT_EQ(answers[1].size, 40);
}

TEST(TcpReceiver, TellsWhatItHoldsBeyondAGapNewestFirst) {
  Receiving bench;
  bench.data(2'000, 1'000);
  bench.data(4'000, 1'000);
  bench.data(0, 1'000);
  bench.data(1'000, 1'000);
  const auto answers = bench.after();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].expected, 0U);
  EXPECT_EQ(answers[0].blocks, (Blocks{{2'000, 3'000}}));
  EXPECT_EQ(answers[0].size, 40 + 12);
  EXPECT_EQ(answers[1].blocks, (Blocks{{4'000, 5'000}, {2'000, 3'000}}));
  EXPECT_EQ(answers[1].size, 40 + 20);
  EXPECT_EQ(answers[2].expected, 1'000U);
  EXPECT_EQ(answers[2].blocks, (Blocks{{4'000, 5'000}, {2'000, 3'000}}));
  EXPECT_EQ(answers[3].expected, 3'000U) << "the gap is closed, the next one open";
  EXPECT_EQ(answers[3].blocks, (Blocks{{4'000, 5'000}}));
}

TEST(TcpReceiver, CountsWhatComesTwice) {
  Receiving bench;
  bench.data(0, 1'000);
  bench.data(0, 1'000);
  bench.data(2'000, 1'000);
  bench.data(2'000, 1'000);
  const auto answers = bench.after();
  EXPECT_EQ(answers.size(), 4U) << "each is acknowledged";
  EXPECT_EQ(bench.tcp.counts().duplicates, 2U);
  EXPECT_EQ(bench.tcp.counts().payload_bytes, 1'000U);
}

TEST(TcpReceiver, EchoesMarksPacketByPacket) {
  Receiving bench;
  bench.data(0, 1'000, true);
  bench.data(1'000, 1'000, false);
  const auto answers = bench.after();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[0].echo);
  EXPECT_FALSE(answers[1].echo);
}

TEST(TcpReceiver, LateAcksAreAllEquallyLate) {
  PacketConfig late = plain_tcp();
  late.of<TcpConfig>().ack_delay = 3us;
  std::vector<Time> when[2];
  for (const bool is_late : {false, true}) {
    Receiving bench(is_late ? late : plain_tcp());
    bench.data(0, 1'000);
    bench.wait_until(Time{500ns});
    bench.data(1'000, 1'000);
    for (const auto& answer : bench.after(9us)) when[is_late ? 1 : 0].push_back(answer.when);
  }
  ASSERT_EQ(when[0].size(), 2U);
  ASSERT_EQ(when[1].size(), 2U);
  EXPECT_EQ(when[1][0] - when[0][0], Duration{3us});
  EXPECT_EQ(when[1][1] - when[0][1], Duration{3us});
}

TEST(TcpReceiver, AMessageIsCompleteWithItsLastByteInOrder) {
  Receiving bench(plain_tcp(), 2'500);
  bench.data(2'000, 500);
  bench.data(0, 1'000);
  EXPECT_TRUE(bench.tcp.completions().empty());
  bench.data(1'000, 1'000);
  ASSERT_EQ(bench.tcp.completions().size(), 1U);
  EXPECT_EQ(bench.tcp.completions()[0].when, bench.fabric.now());
  EXPECT_EQ(bench.tcp.outstanding(), 0);
}

TEST(TcpReceiver, OnePacketMayEndSeveralMessages) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().initial_window = 1;
  Receiving bench(config, 1'200);
  bench.write(300);
  bench.write(400);
  bench.data(0, 1'000);
  EXPECT_TRUE(bench.tcp.completions().empty());
  bench.data(1'000, 900);
  EXPECT_EQ(bench.tcp.completions().size(), 3U);
}

}  // namespace
}  // namespace overture::network::packet
