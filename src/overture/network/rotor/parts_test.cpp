// The parts of a rotor network, each alone: fair shares, the order of commits, queues of ToRs, and NICs.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/network/rotor/commit.h"
#include "overture/network/rotor/fair_share.h"
#include "overture/network/rotor/nic.h"
#include "overture/network/rotor/tor_queue.h"

namespace overture::network::rotor {
namespace {

using namespace literals;

FairShare fair_share() { return FairShare(RandomStreams(1).make("test")); }

TEST(FairShare, GivesEqualSharesAndPassesOnWhatIsNotNeeded) {
  std::vector<int> demand{10, 2, 0, 30};
  fair_share().take(demand, 14);  // 2 are satisfied, the others get 6 each
  EXPECT_EQ(demand, (std::vector{4, 0, 0, 24}));
}

TEST(FairShare, DealsTheRemainderAtRandomAndNeverMoreThanAsked) {
  FairShare share = fair_share();
  std::vector<int> total(3);
  for (int n = 0; n < 3000; ++n) {
    std::vector<int> demand{1, 1, 1};
    share.take(demand, 2);
    EXPECT_EQ(std::accumulate(demand.begin(), demand.end(), 0), 1);
    for (std::size_t i = 0; i < 3; ++i) total[i] += demand[i];
  }
  for (const int left : total) EXPECT_NEAR(left, 1000, 100);
}

TEST(FairShare, AMatrixRespectsRowsAndColumns) {
  FairShare share = fair_share();
  const auto granted = share.matrix(std::vector{50, 50, 50, 50}, std::vector{40, 10}, std::vector{30, 25});
  EXPECT_LE(granted[0] + granted[1], 40);
  EXPECT_LE(granted[2] + granted[3], 10);
  EXPECT_LE(granted[0] + granted[2], 30);
  EXPECT_LE(granted[1] + granted[3], 25);
  EXPECT_GE(granted[0] + granted[1] + granted[2] + granted[3], 49);  // five rounds come close to all 50
}

TEST(FairShare, SharedCapacityRespectsColumns) {
  FairShare share = fair_share();
  std::vector<FairShare::Element> elements{
      {.column = 3, .demand = 20}, {.column = 5, .demand = 20}, {.column = 3, .demand = 20}};
  std::vector<int> room(6);
  room[3] = 8;
  room[5] = 100;
  share.shared(elements, 25, room);
  EXPECT_EQ(elements[0].granted + elements[2].granted, 8);
  EXPECT_EQ(elements[1].granted, 17);
}

TEST(Committer, InterleavesByPaceAndLeavesTurnsEmpty) {
  BulkQueues queues(4);
  const std::uint32_t a = queues.add(0, 1, 4);
  const std::uint32_t b = queues.add(0, 2, 2);
  Committer committer(Duration{800}, Duration{100}, 8, queues);
  std::vector<Committed> out;
  const std::vector<Allocation> allocations{{.to = 1, .via = 1, .packets = 4},
                                            {.to = 2, .via = 2, .packets = 2}};
  EXPECT_EQ(committer.commit(0, allocations, out), 2);
  // a is due at 0, 200, 400 and 600, b at 0 and 400; one leaves a turn.
  std::vector<std::pair<int, std::uint32_t>> order;
  for (const Committed& packet : out) order.emplace_back(packet.turn, packet.message);
  EXPECT_EQ(order,
            (std::vector<std::pair<int, std::uint32_t>>{{0, a}, {1, b}, {2, a}, {4, a}, {5, b}, {6, a}}));
  EXPECT_TRUE(queues.empty(0));
}

TEST(Committer, WhatDoesNotFitStaysInOrder) {
  BulkQueues queues(4);
  const std::uint32_t a = queues.add(0, 1, 2);
  const std::uint32_t b = queues.add(0, 1, 5);
  queues.add(0, 2, 9);
  Committer committer(Duration{400}, Duration{100}, 4, queues);
  std::vector<Committed> out;
  const std::vector<Allocation> allocations{{.to = 1, .via = 1, .packets = 4},
                                            {.to = 2, .via = 3, .packets = 4}};
  committer.commit(0, allocations, out);
  ASSERT_EQ(out.size(), 4);
  EXPECT_EQ(queues.counts(Waiting::own, 0)[1], 5);
  EXPECT_EQ(queues.counts(Waiting::own, 0)[2], 7);
  EXPECT_EQ(out[0].message, a);
  EXPECT_EQ(out[2].message, a);
  EXPECT_NE(out[0].run, out[1].run);
  EXPECT_EQ(out[0].run, out[2].run);
  EXPECT_EQ(queues.pop(Waiting::own, 0, 1), b);
}

RotorPacket data(std::uint32_t number) {
  return {.kind = PacketKind::data, .size = 1500, .message = 0, .number = number};
}

TEST(TorQueue, ServesHeadersThenDataThenBulk) {
  TorQueue queue;
  RandomStream coins = RandomStreams(1).make("coins");
  const TorQueue::Limits limits{.bytes = 8 * 1500};
  queue.push({.kind = PacketKind::bulk, .size = 1500}, limits, coins);
  queue.push(data(0), limits, coins);
  queue.push({.kind = PacketKind::ack, .size = 64}, limits, coins);
  std::vector<PacketKind> order;
  while (!queue.empty()) {
    queue.begin();
    order.push_back(queue.finish().kind);
  }
  EXPECT_EQ(order, (std::vector{PacketKind::ack, PacketKind::data, PacketKind::bulk}));
}

TEST(TorQueue, TrimsWhenFullAndOverflowsWhenHeadersDoNotFitEither) {
  TorQueue queue;
  RandomStream coins = RandomStreams(1).make("coins");
  const TorQueue::Limits limits{.bytes = 3000, .header = 64};
  int trimmed = 0;
  int overflowed = 0;
  for (std::uint32_t n = 0; n < 60; ++n) {
    const auto pushed = queue.push(data(n), limits, coins);
    trimmed += pushed.trimmed ? 1 : 0;
    overflowed += pushed.overflow ? 1 : 0;
  }
  EXPECT_EQ(trimmed, 58);                 // two fit
  EXPECT_EQ(overflowed, 58 - 3000 / 64);  // 46 headers fit
}

TEST(TorQueue, HeadersAndDataShareTheLink) {
  TorQueue queue;
  RandomStream coins = RandomStreams(1).make("coins");
  const TorQueue::Limits limits{.bytes = 12'000};
  for (std::uint32_t n = 0; n < 4; ++n) queue.push(data(n), limits, coins);
  for (int n = 0; n < 40; ++n) queue.push({.kind = PacketKind::ack, .size = 64}, limits, coins);
  int before_second_data = 0;
  for (int seen = 0; seen < 2;) {
    queue.begin();
    if (queue.finish().kind == PacketKind::data) {
      ++seen;
    } else {
      ++before_second_data;
    }
  }
  EXPECT_EQ(before_second_data, 20);  // ten headers of 64 bytes, a packet, and again
}

struct NicCase {
  BulkQueues queues{8};
  RotorNic nic{0, 2, 1500, queues};

  // What leaves turn by turn: a bulk packet's destination, -1 for an empty turn, -2 for another packet.
  std::vector<int> run() {
    std::vector<int> left;
    while (!nic.empty()) {
      nic.begin();
      const auto packet = nic.finish();
      left.push_back(!packet ? -1 : packet->kind == PacketKind::bulk ? packet->to : -2);
    }
    return left;
  }
};

TEST(RotorNic, RotorsTakeTurnsAndAnEmptyTurnPasses) {
  NicCase c;
  c.queues.add(0, 4, 3);
  for (int i = 0; i < 3; ++i) c.queues.pop(Waiting::own, 0, 4);
  c.nic.commit(1, {{.message = 0, .via = 4, .turn = 0}, {.message = 0, .via = 5, .turn = 2}}, 3);
  c.nic.commit(0, {{.message = 0, .via = 6, .turn = 1}}, 3);
  EXPECT_EQ(c.run(), (std::vector{4, -1, -1, 6, 5, -1}));
}

TEST(RotorNic, LowLatencyTakesEmptyTurnsFirstAndThenPushesBulkBack) {
  const auto back = [](int urgent) {
    NicCase c;
    c.queues.add(0, 4, 4);
    for (int i = 0; i < 4; ++i) c.queues.pop(Waiting::own, 0, 4);
    c.nic.commit(
        0, {{.via = 4, .turn = 0}, {.via = 4, .turn = 1}, {.via = 4, .turn = 2}, {.via = 4, .turn = 3}}, 4);
    for (int n = 0; n < urgent; ++n) c.nic.push(data(static_cast<std::uint32_t>(n)));
    const auto left = c.run();
    EXPECT_EQ(std::ranges::count(left, -2), urgent);
    const int returned = c.queues.counts(Waiting::own, 0)[4];
    EXPECT_EQ(std::ranges::count(left, 4) + returned, 4);
    return returned;
  };
  EXPECT_EQ(back(1), 0);  // the other rotor's empty turns make up for it
  EXPECT_GT(back(6), 0);
}

TEST(RotorNic, WhatIsLeftAtTheEndOfASlotGoesBack) {
  NicCase c;
  c.queues.add(0, 4, 2);
  c.queues.pop(Waiting::own, 0, 4);
  c.queues.pop(Waiting::own, 0, 4);
  c.nic.commit(1, {{.message = 0, .via = 4, .turn = 0}, {.message = 0, .via = 4, .turn = 1}}, 2);
  c.nic.begin();
  c.nic.finish();
  c.nic.clear(1);
  EXPECT_TRUE(c.nic.empty());
  EXPECT_EQ(c.queues.counts(Waiting::own, 0)[4], 1);
}

}  // namespace
}  // namespace overture::network::rotor
