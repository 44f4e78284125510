// What a TCP sender sends and when, how it knows its round trip, and what its connections are.
#include "overture/network/packet/tcp.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "overture/network/packet/testing_tcp.h"

namespace overture::network::packet {
namespace {

// What has been handed to the network, arrived or not: the next new offset, in segments.
std::uint64_t segments_sent(TcpBench& bench) { return bench.flow().next / kSegment; }

// ---- the window

TEST(TcpSender, SendsItsInitialWindowAndWaits) {
  TcpBench bench;
  bench.write(100'000);
  EXPECT_EQ(segments_sent(bench), 10U);
  bench.wait_until(Time{9us});
  const std::vector<SeenPacket> sent = bench.sent();
  // The first has crossed two links of 1,040 ns and two wires; the others follow on a busy link.
  ASSERT_EQ(sent.size(), 5U);
  EXPECT_EQ(sent[0].when, Time{1_ps + 2 * (1'040ns + 1us)});
  EXPECT_EQ(sent[1].when - sent[0].when, Duration{1'040ns});
  EXPECT_TRUE((sent[4] == std::pair{4'000U, kSegment}));
}

TEST(TcpSender, InSlowStartEveryAckAddsASegment) {
  TcpBench bench;
  bench.write(1'000'000);
  for (std::uint32_t acks = 1; acks <= 20; ++acks) {
    bench.ack(acks * kSegment);
    EXPECT_EQ(bench.flow().cwnd, (10 + acks) * kSegment);
    EXPECT_EQ(segments_sent(bench), 10 + 2 * acks) << "one for what left, one for the window";
  }
}

TEST(TcpSender, AnAckOfManySegmentsAddsOneToo) {
  TcpBench bench;
  bench.write(1'000'000);
  bench.ack(8 * kSegment);
  EXPECT_EQ(bench.flow().cwnd, 11 * kSegment);
  EXPECT_EQ(segments_sent(bench), 19U);
}

TEST(TcpSender, BeyondTheThresholdAWindowOfAcksAddsASegment) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().slow_start_threshold = 10;
  TcpBench bench(config);
  bench.write(1'000'000);
  bench.ack(kSegment);
  EXPECT_EQ(bench.flow().cwnd, 10'100U) << "1000 * 1000 / 10000";
  bench.ack(2 * kSegment);
  EXPECT_EQ(bench.flow().cwnd, 10'199U) << "1000 * 1000 / 10100, rounded down";
  for (std::uint32_t acks = 3; acks <= 10; ++acks) bench.ack(acks * kSegment);
  EXPECT_GT(bench.flow().cwnd, 10'900U);
  EXPECT_LT(bench.flow().cwnd, 11'000U);
}

TEST(TcpSender, AnAckThatEndsSlowStartAddsForBoth) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().slow_start_threshold = 11;
  TcpBench bench(config);
  bench.write(1'000'000);
  bench.ack(2 * kSegment);
  EXPECT_EQ(bench.flow().cwnd, 11'090U) << "to 11,000 by slow start, then 1000 * 1000 / 11000";
}

TEST(TcpSender, PiecesOfSegmentsAreRewardedOnceTheyMakeAWholeOne) {
  TcpBench bench;
  for (int i = 0; i < 4; ++i) bench.write(400);
  EXPECT_EQ(bench.flow().next, 1'600U);
  bench.ack(400);
  EXPECT_EQ(bench.flow().cwnd, 10 * kSegment);
  bench.ack(800);
  EXPECT_EQ(bench.flow().cwnd, 10 * kSegment);
  bench.ack(1'200);
  EXPECT_EQ(bench.flow().cwnd, 11 * kSegment) << "1,200 bytes are a segment and a fifth";
  bench.ack(1'600);
  EXPECT_EQ(bench.flow().cwnd, 11 * kSegment) << "the fifth and 400 bytes are not one";
}

TEST(TcpSender, TheReceiversWindowIsAnEndToo) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().first_window = Bytes{4'500};
  config.of<TcpConfig>().receive_window = Bytes{7'000};
  TcpBench bench(config);
  bench.write(100'000);
  EXPECT_EQ(segments_sent(bench), 4U) << "a fifth does not fit";
  bench.ack(kSegment);
  EXPECT_EQ(segments_sent(bench), 8U) << "seven more than one";
}

TEST(TcpSender, UntilTheFirstAckTheReceiversWindowIsNotExceededEither) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().first_window = Bytes{65'535};
  config.of<TcpConfig>().receive_window = Bytes{4'500};
  TcpBench bench(config);
  bench.write(100'000);
  EXPECT_EQ(segments_sent(bench), 4U);
}

// 525,000 bytes need more than 16 bits, so the receiver tells a sixteenth of them, rounded down.
TEST(TcpSender, AWindowBeyond65535BytesIsToldInPowersOfTwo) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().initial_window = 600;
  config.of<TcpConfig>().receive_window = Bytes{525'000};
  config.of<TcpConfig>().first_window = Bytes{50'000};
  TcpBench bench(config);
  bench.write(1'000'000);
  EXPECT_EQ(segments_sent(bench), 50U);
  bench.ack(kSegment);
  EXPECT_EQ(segments_sent(bench), 1U + 524U) << "524,992 bytes";
}

TEST(TcpSender, AShortMessageIsAShortPacketAndTheNextOneItsOwn) {
  TcpBench bench;
  bench.write(2'300);
  bench.write(500);
  bench.wait_until(Time{9us});
  const std::vector<SeenPacket> sent = bench.sent();
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_TRUE((sent[2] == std::pair{2'000U, 300U}));
  EXPECT_TRUE((sent[3] == std::pair{2'300U, 500U}));
}

TEST(TcpSender, MessagesThatAreSentAtOneTimeAreOnePieceOfTheStream) {
  TcpBench bench;
  bench.tcp.post(0, 1, 2'300, bench.fabric.now());
  bench.write(500);  // at the same time
  bench.write(400);
  bench.wait_until(Time{9us});
  const std::vector<SeenPacket> sent = bench.sent();
  ASSERT_GE(sent.size(), 4U);
  EXPECT_TRUE((sent[2] == std::pair{2'000U, 800U})) << "the end of the first and all of the second";
  EXPECT_TRUE((sent[3] == std::pair{2'800U, 400U})) << "sent later";
}

TEST(TcpSender, AMessageThatWaitedForTheWindowIsSentWithTheNextOne) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().initial_window = 1;
  TcpBench bench(config);
  bench.write(1'300);
  bench.write(500);
  bench.ack(kSegment);
  bench.wait_until(Time{9us});
  const std::vector<SeenPacket> sent = bench.sent();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_TRUE((sent[1] == std::pair{1'000U, 800U})) << "300 of the first, 500 of the second";
}

// ---- the timer

// A SYN of 50 bytes takes 2.1 us there, its answer as long: 4.2 us, and half of that as deviation.
TEST(TcpTimer, TheHandshakeIsTheFirstSample) {
  TcpBench bench;
  bench.write(100'000);
  bench.wait_until(Time{5us + 1_ps});
  bench.ack(kSegment);
  // A sample of 5 us: 4.2 + 0.8/8 = 4.3; 2.1 + (0.8 - 2.1)/4 = 1.775.
  EXPECT_EQ(bench.flow().rtt, 4'300'000);
  EXPECT_EQ(bench.flow().rtt_deviation, 1'775'000);
  // 4.3 + 4 * 1.775 = 11.4 us from now.
  EXPECT_EQ(bench.flow().deadline, (5us + 1_ps + 11'400ns).count());
}

TEST(TcpTimer, SamplesAreAveragedAsRfc6298Says) {
  TcpBench bench;
  bench.write(1'000'000);
  double rtt = 4.2e6;
  double deviation = 2.1e6;
  std::int64_t sent_at = 1;
  std::int64_t now = 0;
  std::uint32_t acked = 0;
  for (const std::int64_t wait : {5'000'000, 7'000'000, 4'100'000, 9'900'000, 6'000'000}) {
    now = sent_at + wait;
    bench.wait_until(Time{Duration{now}});
    acked = static_cast<std::uint32_t>(bench.flow().next);  // all that was sent at `sent_at`
    bench.ack(acked);
    const double error = static_cast<double>(wait) - rtt;
    rtt += error / 8;
    deviation += (std::abs(error) - deviation) / 4;
    EXPECT_NEAR(static_cast<double>(bench.flow().rtt), rtt, 10) << "rounded down every time";
    EXPECT_NEAR(static_cast<double>(bench.flow().rtt_deviation), deviation, 10);
    sent_at = now;
  }
}

TEST(TcpTimer, IsAtLeastTheMinimum) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().min_rto = 100us;
  TcpBench bench(config);
  bench.write(100'000);
  bench.wait_until(Time{5us});
  bench.ack(kSegment);
  EXPECT_EQ(bench.flow().deadline, Duration{105us}.count());
}

TEST(TcpTimer, StopsWhenAllIsAcknowledged) {
  TcpBench bench;
  bench.write(2'000);
  EXPECT_NE(bench.flow().deadline, kNoTimer);
  bench.ack(2'000);
  EXPECT_EQ(bench.flow().deadline, kNoTimer);
  bench.wait_until(Time{1s});
  EXPECT_EQ(bench.tcp.counts().timeouts, 0U);
}

// 4.2 + 4 * 2.1 = 12.6 us after the first packet; then twice and four times as long.
TEST(TcpTimer, DoublesWithEveryTimeoutInARow) {
  TcpBench bench;
  bench.write(100'000);
  Duration due = 1_ps + 12'600ns;
  for (std::uint64_t timeouts = 0; timeouts < 4; ++timeouts) {
    bench.wait_until(Time{due - 1_ps});
    EXPECT_EQ(bench.tcp.counts().timeouts, timeouts);
    bench.wait_until(Time{due});
    EXPECT_EQ(bench.tcp.counts().timeouts, timeouts + 1);
    due += (12'600ns * (2 << timeouts));
  }
}

TEST(TcpTimer, DoublesAtMostToTheMaximum) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().max_rto = 30us;
  TcpBench bench(config);
  bench.write(1'000);
  bench.wait_until(Time{1_ps + 12'600ns + 25'200ns + 30us - 1_ps});
  EXPECT_EQ(bench.tcp.counts().timeouts, 2U);
  bench.wait_until(Time{1_ps + 12'600ns + 25'200ns + 30us});
  EXPECT_EQ(bench.tcp.counts().timeouts, 3U);
}

TEST(TcpTimer, OfWhatWasSentTwiceThereIsNoSample) {
  TcpBench bench;
  bench.write(1'000);
  bench.wait_until(Time{13us});
  ASSERT_EQ(bench.tcp.counts().timeouts, 1U);
  const std::int64_t before = bench.flow().rtt;
  bench.ack(1'000);
  EXPECT_EQ(bench.flow().rtt, before) << "which of the two does it acknowledge? (Karn)";
}

// ---- connections and messages

TEST(TcpConnections, AMessagesNumberIsUsedAgainOnceItIsAcknowledged) {
  TcpBench bench;
  const std::uint32_t first = bench.write(1'000);
  const std::uint32_t second = bench.write(1'000);
  EXPECT_NE(first, second);
  bench.deliver(0, 2'000);
  const std::uint32_t third = bench.write(1'000);
  EXPECT_TRUE(third == first || third == second);
  EXPECT_EQ(bench.tcp.flows(), 1U);
}

TEST(TcpConnections, WithOnePerMessageABusyOneIsNotShared) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().connections = ConnectionUse::per_message;
  TcpBench bench(config);
  bench.write(50'000);
  bench.write(50'000);
  EXPECT_EQ(bench.tcp.flows(), 2U);
  EXPECT_EQ(bench.flow(0).next, 10'000U);
  EXPECT_EQ(bench.flow(1).next, 10'000U) << "each with a window of its own";
}

TEST(TcpConnections, AnIdleOneIsMadeNewForTheNextMessage) {
  PacketConfig config = plain_tcp();
  config.of<TcpConfig>().connections = ConnectionUse::per_message;
  TcpBench bench(config);
  bench.write(2'000);
  bench.deliver(0, 2'000);
  EXPECT_EQ(bench.flow().cwnd, 12 * kSegment);
  bench.write(50'000);
  EXPECT_EQ(bench.tcp.flows(), 1U);
  EXPECT_EQ(bench.flow().cwnd, 10 * kSegment) << "it starts again";
  EXPECT_EQ(bench.flow().next, 12'000U) << "and its offsets go on";
}

TEST(TcpConnections, OneForThePairKeepsItsWindow) {
  TcpBench bench;
  bench.write(2'000);
  bench.deliver(0, 2'000);
  bench.write(50'000);
  EXPECT_EQ(bench.flow().cwnd, 12 * kSegment);
  EXPECT_EQ(bench.flow().next, 14'000U);
}

// ---- a whole transfer, against slow start written down once more

// One flow between two hosts: an ACK comes back for every segment; each widens the window by one.
Duration slow_start(int segments, int window) {
  const Duration packet = transfer_time(Bytes{kSegment + 40}, 8_Gbps);
  const Duration ack = transfer_time(Bytes{40}, 8_Gbps);
  std::vector<Duration> acks;  // when they are back, in order
  Duration link_free = 1_ps;
  Duration port_free{};
  Duration done{};
  for (int sent = 0; sent < segments; ++sent) {
    // Segment number `sent` fits once the window, wider by one per ACK, reaches beyond it: after `needed`
    // ACKs, window + needed + needed > sent.
    const int needed = std::max(0, (sent - window) / 2 + 1);
    const Duration allowed = sent < window ? 1_ps : acks[static_cast<std::size_t>(needed) - 1];
    link_free = std::max(link_free, allowed) + packet;
    port_free = std::max(port_free, link_free + 1us) + packet;
    done = port_free + 1us;
    acks.push_back(done + 2 * (ack + 1us));
  }
  return done;
}

TEST(TcpTransfer, TakesAsLongAsSlowStartOnPaper) {
  const topology::Topology star = topology::star({.hosts = 2, .wire = kWire});
  for (const int window : {1, 2, 3, 10}) {
    for (const int segments : {1, 2, 3, 5, 8, 13, 40, 100}) {
      PacketConfig config = plain_tcp();
      config.of<TcpConfig>().initial_window = window;
      config.of<TcpConfig>().min_rto = 1ms;
      Fabric fabric(star, config);
      Tcp tcp(config, star, fabric, Pause::never);
      tcp.post(0, 1, segments * std::int64_t{kSegment}, 0);
      fabric.run(tcp, std::numeric_limits<std::int64_t>::max());
      ASSERT_EQ(tcp.completions().size(), 1U);
      EXPECT_EQ(Duration{tcp.completions()[0].when}, slow_start(segments, window))
          << segments << " segments, a window of " << window;
      EXPECT_EQ(tcp.counts().data_packets, static_cast<std::uint64_t>(segments));
    }
  }
}

}  // namespace
}  // namespace overture::network::packet
