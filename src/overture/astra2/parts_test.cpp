// The parts of ASTRA-sim 2 that carry and match messages, each on its own.
#include <gtest/gtest.h>

#include "overture/astra2/postbox.h"
#include "overture/astra2/transport.h"
#include "overture/astra2/wires.h"

namespace overture::astra2 {
namespace {

using topology::DimensionKind;

constexpr Letter kLetter{.size = 100, .tag = 7, .from = 0, .to = 1};

TEST(Postbox, WhoeverAskedFirstGetsTheFirst) {
  sim::EventQueue events;
  Postbox box(events);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) box.expect(kLetter, [&order, i] { order.push_back(i); });
  for (int i = 0; i < 3; ++i) box.arrive(kLetter);
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
  EXPECT_TRUE(box.expected().empty());
  EXPECT_TRUE(box.unclaimed().empty());
}

TEST(Postbox, WhatCameEarlyIsHandedOutAfterWhatElseIsDue) {
  sim::EventQueue events;
  Postbox box(events);
  std::vector<std::string> order;
  box.arrive(kLetter);
  EXPECT_EQ(box.unclaimed(), std::vector{kLetter});
  box.expect(kLetter, [&] { order.push_back("letter"); });
  order.push_back("caller");
  events.run();
  EXPECT_EQ(order, (std::vector<std::string>{"caller", "letter"}));
}

TEST(Postbox, TagEndsAndSizeMustAllAgree) {
  for (const Letter& other :
       {Letter{.size = 101, .tag = 7, .from = 0, .to = 1}, Letter{.size = 100, .tag = 8, .from = 0, .to = 1},
        Letter{.size = 100, .tag = 7, .from = 2, .to = 1},
        Letter{.size = 100, .tag = 7, .from = 0, .to = 2}}) {
    sim::EventQueue events;
    Postbox box(events);
    bool received = false;
    box.expect(kLetter, [&] { received = true; });
    box.arrive(other);
    events.run();
    EXPECT_FALSE(received);
    EXPECT_EQ(box.expected(), std::vector{kLetter});
    EXPECT_EQ(box.unclaimed(), std::vector{other});
  }
}

std::int64_t delivery_ns(const NetworkFile& file, int from, int to, std::int64_t size) {
  sim::EventQueue events;
  const auto wires = make_wires(file, events);
  wires->send({.from = Rank{from}, .to = Rank{to}, .size = Bytes{size}}, [] {});
  events.run();
  return events.now().time_since_epoch() / Nanoseconds{1};
}

NetworkFile one_dimension(DimensionKind kind, int npus, bool aware) {
  return {.dimensions = {{.kind = kind, .npus = npus, .gib_per_s = 50, .latency_ns = 500}},
          .congestion_aware = aware};
}

// 50 GiB/s are 53.687 bytes a nanosecond: 1 MiB needs 19,531.25 ns.
TEST(Wires, UnawareTimesAreHopsAndBytesCutToWholeNanoseconds) {
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::ring, 8, false), 0, 1, 1 << 20), 500 + 19'531);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::ring, 8, false), 0, 5, 1 << 20), 3 * 500 + 19'531);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::switched, 8, false), 0, 5, 1 << 20), 2 * 500 + 19'531);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::fully_connected, 8, false), 0, 5, 1 << 20),
            500 + 19'531);
}

TEST(Wires, UnawareTakesTheFirstDimensionInWhichTheEndsDiffer) {
  NetworkFile file = one_dimension(DimensionKind::ring, 4, false);
  file.dimensions.push_back(
      {.kind = DimensionKind::switched, .npus = 2, .gib_per_s = 25, .latency_ns = 1000});
  EXPECT_EQ(delivery_ns(file, 0, 1, 1 << 20), 500 + 19'531);
  EXPECT_EQ(delivery_ns(file, 0, 4, 1 << 20), 2000 + 39'062);
}

TEST(Wires, AwareStoresAndForwardsHopByHop) {
  const std::int64_t hop = delivery_ns(one_dimension(DimensionKind::ring, 8, true), 0, 1, 1 << 20);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::ring, 8, true), 0, 3, 1 << 20), 3 * hop);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::fully_connected, 8, true), 0, 3, 1 << 20), hop);
  EXPECT_EQ(delivery_ns(one_dimension(DimensionKind::switched, 8, true), 0, 3, 1 << 20), 2 * hop);
}

// Two messages over the same link wait for each other only in the aware network.
TEST(Wires, OnlyTheAwareNetworkHasQueues) {
  const auto last = [](bool aware) {
    sim::EventQueue events;
    const auto wires = make_wires(one_dimension(DimensionKind::ring, 4, aware), events);
    int delivered = 0;
    for (int i = 0; i < 2; ++i)
      wires->send({.from = Rank{0}, .to = Rank{1}, .size = Bytes{1 << 20}}, [&] { ++delivered; });
    events.run();
    EXPECT_EQ(delivered, 2);
    return events.now().time_since_epoch() / Nanoseconds{1};
  };
  EXPECT_EQ(last(false), 500 + 19'531);
  EXPECT_EQ(last(true), 500 + 2 * 19'531);
}

TEST(Wires, RecordsWhatEveryDimensionCarried) {
  sim::EventQueue events;
  const auto wires = make_wires(one_dimension(DimensionKind::ring, 4, false), events);
  wires->send({.from = Rank{0}, .to = Rank{1}, .size = Bytes{1000}}, [] {});
  events.run();
  EXPECT_EQ(wires->record().delivered, Bytes{1000});
}

TEST(Transport, AHandshakeComesFirst) {
  const auto finish = [](bool rendezvous) {
    sim::EventQueue events;
    const auto wires = make_wires(one_dimension(DimensionKind::ring, 4, false), events);
    Transport transport(*wires, events, rendezvous);
    bool received = false;
    transport.receive(kLetter, [&] { received = true; });
    transport.send(kLetter);
    events.run();
    EXPECT_TRUE(received);
    return events.now();
  };
  EXPECT_GT(finish(true), finish(false));
}

TEST(Transport, TheSenderIsToldBeforeTheReceiver) {
  sim::EventQueue events;
  const auto wires = make_wires(one_dimension(DimensionKind::ring, 4, false), events);
  Transport transport(*wires, events, false);
  std::vector<std::string> order;
  transport.receive(kLetter, [&] { order.push_back("receiver"); });
  transport.send(kLetter, [&] { order.push_back("sender"); });
  events.run();
  EXPECT_EQ(order, (std::vector<std::string>{"sender", "receiver"}));
  EXPECT_EQ(transport.messages(), 1U);
}

}  // namespace
}  // namespace overture::astra2
