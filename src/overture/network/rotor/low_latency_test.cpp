// NDP of the low-latency class, told by hand what arrives when. Packets of 1,064 bytes with 64 of header, at
// 8 Gbps: 1,000 bytes of payload each, one every 1,064 ns.
#include "overture/network/rotor/low_latency.h"

#include <map>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

constexpr std::int64_t kGap = 1'064'000;  // ps

RotorConfig config_of(int window) {
  RotorConfig config;
  config.packet = Bytes{1'064};
  config.header = Bytes{64};
  config.rate = 8_Gbps;
  config.low_latency.initial_window = window;
  config.low_latency.timeout = 1ms;
  return config;
}

struct Bench {
  LowLatency ndp;

  explicit Bench(const RotorConfig& config) : ndp(config, 4) {}

  std::vector<RotorPacket> sent() { return std::exchange(ndp.outbox(), {}); }
  std::vector<LowLatency::Alarm> alarms() { return std::exchange(ndp.alarms(), {}); }
  std::vector<Finished> finished() { return std::exchange(ndp.finished(), {}); }
  // The packet arrives; what it is answered with.
  std::vector<RotorPacket> arrives(const RotorPacket& packet, std::int64_t now) {
    ndp.receive(packet, now);
    return sent();
  }
};

RotorPacket cut(RotorPacket packet) {
  packet.kind = PacketKind::header;
  packet.size = 64;
  return packet;
}
// Back to where it came from.
RotorPacket bounced(RotorPacket packet) {
  packet.kind = PacketKind::bounced;
  std::swap(packet.from, packet.to);
  return packet;
}

TEST(LowLatency, AFirstWindowLeavesUnasked) {
  Bench bench(config_of(3));
  bench.ndp.start(0, 1, 10'000, 0);
  const auto sent = bench.sent();
  ASSERT_EQ(sent.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i].kind, PacketKind::data);
    EXPECT_EQ(sent[i].number, i);
    EXPECT_EQ(sent[i].from, 0);
    EXPECT_EQ(sent[i].to, 1);
    EXPECT_FALSE(sent[i].again);
  }
}

TEST(LowLatency, AShortMessageIsLessThanAWindow) {
  Bench bench(config_of(30));
  bench.ndp.start(0, 1, 1, 0);
  EXPECT_EQ(bench.sent().size(), 1U);
  bench.ndp.start(0, 1, 2'000, 0);
  EXPECT_EQ(bench.sent().size(), 2U);
  bench.ndp.start(0, 1, 2'001, 0);
  EXPECT_EQ(bench.sent().size(), 3U);
}

TEST(LowLatency, TheLastPacketIsPaddedOrAsLongAsItMustBe) {
  RotorConfig config = config_of(30);
  config.low_latency.pad_packets = true;
  Bench padded(config);
  padded.ndp.start(0, 1, 1'100, 0);
  EXPECT_EQ(padded.sent()[1].size, 1'064);
  config.low_latency.pad_packets = false;
  Bench exact(config);
  exact.ndp.start(0, 1, 1'100, 0);
  const auto sent = exact.sent();
  EXPECT_EQ(sent[0].size, 1'064);
  EXPECT_EQ(sent[1].size, 164) << "100 bytes and a header";
}

TEST(LowLatency, EveryPacketIsAcknowledgedAtOnceAndPulledForInTurn) {
  Bench bench(config_of(2));
  bench.ndp.start(0, 1, 10'000, 0);
  const auto data = bench.sent();
  bench.alarms();
  const auto answers = bench.arrives(data[0], 5'000);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].kind, PacketKind::ack);
  EXPECT_EQ(answers[0].size, 64);
  EXPECT_EQ(answers[0].from, 1);
  EXPECT_EQ(answers[0].to, 0);
  EXPECT_EQ(answers[0].pulls, 1U) << "nothing was pulled before: the ACK is a PULL, too";
  EXPECT_TRUE(bench.alarms().empty()) << "nobody asks for more";
  EXPECT_EQ(bench.arrives(data[1], 6'000).at(0).pulls, 0U);
  const auto alarms = bench.alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_TRUE(alarms[0].of_pacer);
  EXPECT_EQ(alarms[0].when, 5'000 + kGap) << "a packet's time after the last PULL";
  bench.ndp.pacer(1, alarms[0].when);
  const auto pull = bench.sent();
  ASSERT_EQ(pull.size(), 1U);
  EXPECT_EQ(pull[0].kind, PacketKind::pull);
  EXPECT_EQ(pull[0].pulls, 2U);
}

// Of a message with less than a packet, nothing is padded.
TEST(LowLatency, AMessageShorterThanAPacketGoesAsItIs) {
  RotorConfig config = config_of(30);
  config.low_latency.pad_packets = true;
  Bench bench(config);
  bench.ndp.start(0, 1, 100, 0);
  EXPECT_EQ(bench.sent().at(0).size, 164);
}

TEST(LowLatency, TheAckAfterWhichNothingIsMissingMakesUpForLostOnes) {
  RotorConfig config = config_of(2);
  config.low_latency.end = LowLatencyEnd::last_ack;
  Bench bench(config);
  bench.ndp.start(0, 1, 2'000, 0);
  const auto data = bench.sent();
  EXPECT_FALSE(bench.arrives(data[0], 0).at(0).complete);  // is lost
  const RotorPacket last = bench.arrives(data[1], 0).at(0);
  EXPECT_TRUE(last.complete);
  bench.arrives(last, 10);
  EXPECT_EQ(bench.finished().size(), 1U);
}

// Two messages of a window of two packets each, all there at once: PULLs of one do not wait for the other's.
TEST(LowLatency, InTheOriginalEveryMessageHasAPacerOfItsOwn) {
  RotorConfig config = config_of(2);
  config.defects.pacer_per_message = true;
  Bench bench(config);
  bench.ndp.start(0, 3, 10'000, 0);
  const auto first = bench.sent();
  bench.ndp.start(1, 3, 10'000, 0);
  const auto second = bench.sent();
  bench.alarms();
  EXPECT_EQ(bench.arrives(first[0], 0).at(0).pulls, 1U);
  EXPECT_EQ(bench.arrives(second[0], 0).at(0).pulls, 1U);
  bench.arrives(first[1], 0);
  bench.arrives(second[1], 0);
  const auto alarms = bench.alarms();
  ASSERT_EQ(alarms.size(), 2U);
  for (const LowLatency::Alarm& alarm : alarms) EXPECT_EQ(alarm.when, 1'000'000) << "the time of a payload";
}

TEST(LowLatency, InTheOriginalAnOvertakenPullBringsAPacketAndSoDoesANackAtTheEnd) {
  for (const bool unasked : {false, true}) {
    RotorConfig config = config_of(1);
    config.defects.sends_unasked = unasked;
    Bench bench(config);
    const std::uint32_t id = bench.ndp.start(0, 1, 4'000, 0);
    const RotorPacket data = bench.sent().at(0);
    RotorPacket pull{
        .kind = PacketKind::pull, .from = 1, .to = 0, .message = id, .serial = data.serial, .pulls = 2};
    EXPECT_EQ(bench.arrives(pull, 0).size(), 2U);
    pull.pulls = 1;
    EXPECT_EQ(bench.arrives(pull, 0).size(), unasked ? 1U : 0U);
    pull.pulls = 3;
    bench.arrives(pull, 0);  // the last packet has gone, at the latest now
    RotorPacket nack = pull;
    nack.kind = PacketKind::nack;
    nack.number = 0;
    nack.pulls = 0;
    EXPECT_EQ(bench.arrives(nack, 0).size(), unasked ? 1U : 0U);
  }
}

TEST(LowLatency, HalfThePullRateIsTwiceTheGap) {
  RotorConfig config = config_of(2);
  config.low_latency.pull_rate = 0.5;
  Bench bench(config);
  bench.ndp.start(0, 1, 10'000, 0);
  const auto data = bench.sent();
  bench.arrives(data[0], 0);
  bench.ndp.pacer(1, 0);
  bench.alarms();
  bench.arrives(data[1], 0);
  EXPECT_EQ(bench.alarms().at(0).when, 2 * kGap);
}

TEST(LowLatency, APullIsOnePacketAndALateOneMakesUpForThoseThatWereLost) {
  Bench bench(config_of(1));
  const std::uint32_t id = bench.ndp.start(0, 1, 10'000, 0);
  const RotorPacket data = bench.sent()[0];
  RotorPacket pull{
      .kind = PacketKind::pull, .from = 1, .to = 0, .message = id, .serial = data.serial, .pulls = 1};
  EXPECT_EQ(bench.arrives(pull, 0).size(), 1U);
  pull.pulls = 4;  // 2 and 3 are lost, or late
  EXPECT_EQ(bench.arrives(pull, 0).size(), 3U);
  pull.pulls = 3;
  EXPECT_TRUE(bench.arrives(pull, 0).empty());
}

TEST(LowLatency, WhatWasCutIsAskedForAgainAndGoesFirst) {
  Bench bench(config_of(2));
  const std::uint32_t id = bench.ndp.start(0, 1, 10'000, 0);
  const auto data = bench.sent();
  bench.arrives(data[0], 0);
  const auto answers = bench.arrives(cut(data[1]), 0);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].kind, PacketKind::nack);
  EXPECT_TRUE(bench.arrives(answers[0], 0).empty()) << "a NACK alone sends nothing";
  bench.ndp.pacer(1, kGap);
  const auto again = bench.arrives(bench.sent()[0], 0);
  ASSERT_EQ(again.size(), 2U) << "the second PULL, and the first is late or lost";
  EXPECT_EQ(again[0].number, 1U);
  EXPECT_TRUE(again[0].again);
  EXPECT_EQ(again[0].message, id);
  EXPECT_EQ(bench.ndp.counts().retransmissions, 1U);
}

TEST(LowLatency, ABouncedHeaderWaitsForAPullUnlessNoneIsToCome) {
  Bench bench(config_of(3));
  bench.ndp.start(0, 1, 10'000, 0);
  const auto data = bench.sent();
  EXPECT_TRUE(bench.arrives(bounced(data[0]), 0).empty()) << "the other packets will bring PULLs";
  const auto again = bench.arrives(bounced(data[1]), 0);
  ASSERT_EQ(again.size(), 1U) << "of the first window, one packet may be left";
  EXPECT_EQ(again[0].number, 1U) << "the last that came back goes first";
  EXPECT_FALSE(again[0].again) << "it leaves its host among the new packets, as it did before";
  EXPECT_EQ(bench.ndp.counts().retransmissions, 1U);
}

TEST(LowLatency, WhatWasCutAndThenComesBackStaysAheadOfNewPackets) {
  Bench bench(config_of(1));
  bench.ndp.start(0, 1, 1'000, 0);
  const auto nack = bench.arrives(cut(bench.sent()[0]), 0);
  const auto second = bench.arrives(nack[0], 0);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_TRUE(second[0].again);
  bench.arrives(bounced(second[0]), 0);
  bench.ndp.timer(0, 1'000'000'000);
  const auto third = bench.sent();
  ASSERT_EQ(third.size(), 1U);
  EXPECT_TRUE(third[0].again);
}

TEST(LowLatency, IsCompleteWithTheLastByteOrWithTheLastAck) {
  for (const LowLatencyEnd end : {LowLatencyEnd::delivery, LowLatencyEnd::last_ack}) {
    RotorConfig config = config_of(5);
    config.low_latency.end = end;
    Bench bench(config);
    const std::uint32_t id = bench.ndp.start(0, 1, 2'000, 0);
    const auto data = bench.sent();
    const RotorPacket first = bench.arrives(data[1], 10)[0];
    const RotorPacket second = bench.arrives(data[0], 20)[0];
    const auto at_delivery = bench.finished();
    bench.arrives(first, 30);
    bench.arrives(second, 40);
    const auto at_ack = bench.finished();
    const auto& told = end == LowLatencyEnd::delivery ? at_delivery : at_ack;
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(at_delivery.size() + at_ack.size(), 1U);
    EXPECT_EQ(told[0].message, id);
    EXPECT_EQ(told[0].when, end == LowLatencyEnd::delivery ? 20 : 40);
    EXPECT_EQ(bench.ndp.counts().delivered, Bytes{2'000});
    EXPECT_EQ(bench.ndp.outstanding(), 0U);
  }
}

TEST(LowLatency, APacketThatComesTwiceIsAcknowledgedTwiceAndCountsOnce) {
  Bench bench(config_of(5));
  bench.ndp.start(0, 1, 2'000, 0);
  const auto data = bench.sent();
  EXPECT_EQ(bench.arrives(data[0], 0).size(), 1U);
  EXPECT_EQ(bench.arrives(data[0], 0).size(), 1U);
  EXPECT_EQ(bench.ndp.counts().low_delivered, 1U);
  EXPECT_TRUE(bench.finished().empty());
}

TEST(LowLatency, PacketsOfAMessageThatIsGoneAreOfNobody) {
  Bench bench(config_of(5));
  const std::uint32_t id = bench.ndp.start(0, 1, 1'000, 0);
  const RotorPacket data = bench.sent()[0];
  bench.arrives(bench.arrives(data, 0)[0], 0);
  EXPECT_EQ(bench.ndp.start(2, 3, 1'000, 0), id) << "its number is used again";
  bench.sent();
  EXPECT_TRUE(bench.arrives(data, 0).empty()) << "of another serial number";
  EXPECT_EQ(bench.ndp.outstanding(), 1U);
}

TEST(LowLatency, WithoutNewsAWindowIsSentAgain) {
  Bench bench(config_of(3));
  const std::uint32_t id = bench.ndp.start(0, 1, 10'000, 0);
  bench.sent();
  const auto alarms = bench.alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_FALSE(alarms[0].of_pacer);
  EXPECT_EQ(alarms[0].when, Duration{1ms}.count());
  bench.ndp.timer(id, alarms[0].when);
  const auto again = bench.sent();
  ASSERT_EQ(again.size(), 3U);
  for (const RotorPacket& packet : again) EXPECT_TRUE(packet.again);
  EXPECT_EQ(bench.ndp.counts().timeouts, 1U);
  EXPECT_EQ(bench.alarms().at(0).when, Duration{2ms}.count());
}

TEST(LowLatency, NewsPutTheTimeoutOff) {
  Bench bench(config_of(3));
  const std::uint32_t id = bench.ndp.start(0, 1, 10'000, 0);
  const auto data = bench.sent();
  const RotorPacket ack = bench.arrives(data[0], 100)[0];
  bench.arrives(ack, 400'000'000);
  bench.alarms();
  bench.ndp.timer(id, Duration{1ms}.count());
  EXPECT_TRUE(bench.sent().empty());
  EXPECT_EQ(bench.alarms().at(0).when, 400'000'000 + Duration{1ms}.count());
}

TEST(LowLatency, InTheOriginalALostPullStaysLost) {
  RotorConfig config = config_of(3);
  config.defects.lost_pulls_stay_lost = true;
  Bench bench(config);
  bench.ndp.start(0, 1, 10'000, 0);
  EXPECT_TRUE(bench.alarms().empty()) << "no timer at all";
}

TEST(LowLatency, MessagesToOneHostShareItsPulls) {
  Bench bench(config_of(2));
  const std::uint32_t one = bench.ndp.start(0, 3, 10'000, 0);
  const auto first = bench.sent();
  const std::uint32_t two = bench.ndp.start(1, 3, 10'000, 0);
  const auto second = bench.sent();
  std::vector<std::uint32_t> pulled;
  const auto note = [&](const std::vector<RotorPacket>& packets) {
    for (const RotorPacket& packet : packets) {
      if (packet.pulls > 0) pulled.push_back(packet.message);
    }
  };
  for (const auto& packets : {first, second}) {
    for (const RotorPacket& packet : packets) note(bench.arrives(packet, 0));
  }
  for (std::int64_t now = kGap; now <= 3 * kGap; now += kGap) {
    bench.ndp.pacer(3, now);
    note(bench.sent());
  }
  EXPECT_EQ(pulled, (std::vector{one, one, two, two}));
}

// A network that delays, cuts, bounces and loses at random: every message is complete in the end, once.
TEST(LowLatency, EveryMessageEndsOnceHoweverBadTheNetwork) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, 0);
    RotorConfig config = config_of(1 + static_cast<int>(random.below(6)));
    config.low_latency.end = random.below(2) == 0 ? LowLatencyEnd::delivery : LowLatencyEnd::last_ack;
    Bench bench(config);
    std::multimap<std::int64_t, RotorPacket> packets;
    std::multimap<std::int64_t, LowLatency::Alarm> alarms;
    std::int64_t now = 0;
    std::map<std::uint32_t, int> ended;
    const auto collect = [&] {
      for (RotorPacket packet : bench.sent()) {
        const std::uint64_t fate = random.below(12);
        if (fate == 0) continue;  // lost
        if (packet.kind == PacketKind::data && fate == 1) packet = cut(packet);
        if (packet.kind == PacketKind::data && fate == 2) packet = bounced(packet);
        packets.emplace(now + 1 + static_cast<std::int64_t>(random.below(10'000'000)), packet);
      }
      for (const LowLatency::Alarm& alarm : bench.alarms()) {
        ASSERT_GE(alarm.when, now);
        alarms.emplace(alarm.when, alarm);
      }
      for (const Finished& done : bench.finished()) ++ended[done.message];
    };
    constexpr std::uint32_t kMessages = 6;
    std::int64_t bytes = 0;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const auto size = static_cast<std::int64_t>(1 + random.below(20'000));
      bytes += size;
      bench.ndp.start(static_cast<int>(random.below(3)), 3, size, 0);
      collect();
    }
    int steps = 0;
    while (bench.ndp.outstanding() > 0 && ++steps < 100'000) {
      ASSERT_FALSE(packets.empty() && alarms.empty()) << "seed " << seed << ": nothing will ever happen";
      if (alarms.empty() || (!packets.empty() && packets.begin()->first <= alarms.begin()->first)) {
        now = packets.begin()->first;
        const RotorPacket packet = packets.begin()->second;
        packets.erase(packets.begin());
        bench.ndp.receive(packet, now);
      } else {
        now = alarms.begin()->first;
        const LowLatency::Alarm alarm = alarms.begin()->second;
        alarms.erase(alarms.begin());
        if (alarm.of_pacer) {
          bench.ndp.pacer(alarm.id, now);
        } else {
          bench.ndp.timer(alarm.id, now);
        }
      }
      collect();
    }
    EXPECT_EQ(bench.ndp.outstanding(), 0U) << "seed " << seed;
    EXPECT_EQ(bench.ndp.counts().delivered, Bytes{bytes}) << "seed " << seed;
    ASSERT_EQ(ended.size(), kMessages);
    for (const auto& [message, times] : ended) EXPECT_EQ(times, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace overture::network::rotor
