// A host's NIC and a ToR's port under random traffic: nothing is lost, nothing is sent twice.
#include "overture/network/rotor/nic.h"

#include <map>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/rotor/tor_queue.h"

namespace overture::network::rotor {
namespace {

constexpr std::uint16_t kPacket = 1500;

RotorPacket urgent(PacketKind kind, std::uint16_t size, bool again = false) {
  return {.kind = kind, .again = again, .size = size};
}

TEST(RotorNic, ServesControlThenWhatIsSentAgainThenNewDataThenBulk) {
  BulkQueues queues(4);
  RotorNic nic(0, 1, kPacket, queues);
  const std::uint32_t message = queues.add(0, 3, 1);
  queues.pop(Waiting::own, 0, 3);
  nic.commit(0, {{.message = message, .via = 3, .turn = 0}}, 4);
  nic.push(urgent(PacketKind::data, 300));
  nic.push(urgent(PacketKind::data, 200, true));
  nic.push(urgent(PacketKind::ack, 64));
  std::vector<std::uint16_t> sizes;
  for (int i = 0; i < 4; ++i) {
    nic.begin();
    const auto packet = nic.finish();
    ASSERT_TRUE(packet);
    sizes.push_back(packet->size);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint16_t>{64, 200, 300, kPacket}));
}

TEST(RotorNic, BeginTellsHowLongItWillBeBusy) {
  BulkQueues queues(4);
  RotorNic nic(0, 2, kPacket, queues);
  EXPECT_TRUE(nic.empty());
  nic.push(urgent(PacketKind::pull, 64));
  EXPECT_FALSE(nic.empty());
  EXPECT_EQ(nic.begin(), 64);
  EXPECT_TRUE(nic.busy());
  nic.finish();
  EXPECT_FALSE(nic.busy());
  nic.commit(1, {}, 1);
  EXPECT_EQ(nic.begin(), kPacket) << "an empty turn takes as long as a packet";
  EXPECT_FALSE(nic.finish());
}

TEST(RotorNic, ABulkPacketSaysWhichRotorItIsFor) {
  BulkQueues queues(4);
  RotorNic nic(2, 3, kPacket, queues);
  const std::uint32_t message = queues.add(2, 1, 1);
  queues.pop(Waiting::own, 2, 1);
  nic.commit(1, {{.message = message, .via = 1, .turn = 0}}, 1);
  nic.begin();
  const auto packet = nic.finish();
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->path, 1);
  EXPECT_EQ(packet->from, 2);
  EXPECT_EQ(packet->to, 1);
  EXPECT_EQ(packet->message, message);
}

// Slots of three rotors one after the other, with low-latency packets in between.
TEST(RotorNic, EveryCommittedPacketLeavesOrGoesBackAndEveryUrgentOneLeaves) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 0);
    constexpr int kRotors = 3;
    constexpr int kTurns = 12;
    BulkQueues queues(4);
    RotorNic nic(0, kRotors, kPacket, queues);
    const std::uint32_t message = queues.add(0, 3, 100'000);
    const auto waiting = [&] { return queues.counts(Waiting::own, 0)[3]; };
    const int at_first = waiting();
    int committed = 0;
    int bulk_left = 0;
    int urgent_pushed = 0;
    int urgent_left = 0;
    for (int slot = 0; slot < 30; ++slot) {
      const int rotor = slot % kRotors;
      const int before = waiting();
      nic.clear(rotor);
      committed -= waiting() - before;
      std::vector<Committed> packets;
      for (int turn = 0; turn < kTurns; ++turn) {
        if (random.below(2) == 0) continue;
        queues.pop(Waiting::own, 0, 3);
        ++committed;
        packets.push_back({.message = message, .via = 3, .turn = turn});
      }
      nic.commit(rotor, std::move(packets), kTurns);
      for (int step = 0; step < kTurns; ++step) {
        for (std::uint64_t more = random.below(3); more > 0 && random.below(2) == 0; --more) {
          const bool data = random.below(2) == 0;
          nic.push(urgent(data ? PacketKind::data : PacketKind::ack, data ? kPacket : std::uint16_t{64}));
          ++urgent_pushed;
        }
        if (nic.empty()) break;
        nic.begin();
        const auto packet = nic.finish();
        if (!packet) continue;
        (packet->kind == PacketKind::bulk ? bulk_left : urgent_left) += 1;
      }
    }
    for (int rotor = 0; rotor < kRotors; ++rotor) nic.clear(rotor);
    while (!nic.empty()) {
      nic.begin();
      urgent_left += nic.finish() ? 1 : 0;
    }
    EXPECT_EQ(urgent_left, urgent_pushed);
    EXPECT_EQ(bulk_left + waiting(), at_first) << "what did not leave is back in its queue";
    EXPECT_GT(bulk_left, 0);
    EXPECT_LE(bulk_left, committed + at_first);
  }
}

// ---- a ToR's port

struct PortCounts {
  int pushed = 0;
  int overflowed = 0;
  int trimmed = 0;
  int left = 0;
};

TEST(TorQueue, KeepsEveryPacketWithinItsLimits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, 0);
    RandomStream coins(seed, 1);
    const TorQueue::Limits limits{.bytes = 1'500 * static_cast<std::int64_t>(1 + random.below(6)),
                                  .header = 64};
    TorQueue queue;
    PortCounts count;
    std::map<PacketKind, int> inside;
    for (int step = 0; step < 2'000; ++step) {
      if (random.below(3) != 0) {
        constexpr PacketKind kKinds[]{PacketKind::data, PacketKind::data, PacketKind::ack, PacketKind::bulk};
        const PacketKind kind = kKinds[random.below(4)];
        const bool small = kind == PacketKind::ack;
        ++count.pushed;
        ++inside[kind];
        const auto pushed = queue.push(urgent(kind, small ? std::uint16_t{64} : kPacket), limits, coins);
        if (pushed.trimmed) {
          ++count.trimmed;
          --inside[PacketKind::data];
          ++inside[PacketKind::header];
        }
        if (pushed.overflow) {
          ++count.overflowed;
          EXPECT_EQ(pushed.overflow->size, 64);
          --inside[pushed.overflow->kind];
        }
      } else if (!queue.empty()) {
        const std::uint16_t size = queue.begin();
        const RotorPacket packet = queue.finish();
        EXPECT_EQ(packet.size, size);
        ++count.left;
        --inside[packet.kind];
      }
      ASSERT_LE(inside[PacketKind::data] * std::int64_t{kPacket}, limits.bytes);
      ASSERT_LE((inside[PacketKind::ack] + inside[PacketKind::header]) * 64, limits.bytes);
      ASSERT_EQ(queue.bytes(kPacket),
                (inside[PacketKind::data] + inside[PacketKind::bulk]) * std::int64_t{kPacket} +
                    (inside[PacketKind::ack] + inside[PacketKind::header]) * 64);
    }
    for (; !queue.empty(); ++count.left) {
      queue.begin();
      queue.finish();
    }
    EXPECT_EQ(count.pushed, count.left + count.overflowed);
    EXPECT_GT(count.trimmed, 0);
  }
}

TEST(TorQueue, PacketsOfAClassLeaveInOrder) {
  RandomStream coins(1, 0);
  TorQueue queue;
  const TorQueue::Limits limits{.bytes = 1'000'000};
  for (std::uint32_t n = 0; n < 30; ++n) {
    constexpr PacketKind kKinds[]{PacketKind::data, PacketKind::ack, PacketKind::bulk};
    queue.push({.kind = kKinds[n % 3], .size = 100, .number = n}, limits, coins);
  }
  std::map<PacketKind, std::uint32_t> newest;
  for (int left = 0; left < 30; ++left) {
    queue.begin();
    const RotorPacket packet = queue.finish();
    EXPECT_GE(packet.number, newest[packet.kind]);
    newest[packet.kind] = packet.number;
  }
}

TEST(TorQueue, ThePacketBeingSentIsNeverTrimmed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream coins(seed, 0);
    TorQueue queue;
    const TorQueue::Limits limits{.bytes = kPacket};
    queue.push({.kind = PacketKind::data, .size = kPacket, .number = 1}, limits, coins);
    EXPECT_EQ(queue.begin(), kPacket);
    EXPECT_TRUE(queue.push({.kind = PacketKind::data, .size = kPacket, .number = 2}, limits, coins).trimmed);
    const RotorPacket sent = queue.finish();
    EXPECT_EQ(sent.kind, PacketKind::data);
    EXPECT_EQ(sent.number, 1U);
    queue.begin();
    EXPECT_EQ(queue.finish().number, 2U) << "as a header";
  }
}

TEST(TorQueue, BulkThatMissedItsCircuitIsTakenOut) {
  RandomStream coins(1, 0);
  TorQueue queue;
  queue.push({.kind = PacketKind::bulk, .size = kPacket, .message = 7}, {}, coins);
  queue.push({.kind = PacketKind::bulk, .size = kPacket, .message = 8}, {}, coins);
  ASSERT_TRUE(queue.has_bulk());
  EXPECT_EQ(queue.first_bulk().message, 7U);
  EXPECT_EQ(queue.pop_bulk().message, 7U);
  EXPECT_EQ(queue.bytes(kPacket), kPacket);
  queue.pop_bulk();
  EXPECT_FALSE(queue.has_bulk());
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace overture::network::rotor
