#include "overture/system/shared_bus.h"

#include <string>

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using namespace literals;

// L = 100, o = 10, g = 5, G = 0.5: 1001 bytes keep the sender busy for 10 + 500 ns and arrive 110 ns later.
// The memory has a G of its own and takes 10 + 3 + 110 ns for them.
constexpr SharedBus kBus{
    .latency = 100ns, .overhead = 10ns, .gap = 5ns, .gap_per_byte_ns = 0.5, .local_reduction = 1ns};
constexpr Duration kCross = 620ns;
constexpr Duration kMemory = 123ns;

class SharedBusTest : public testing::Test {
 protected:
  // When a packet with this preparation is through.
  Duration pass(const Preparation& preparation) {
    SharedBusEndpoint endpoint(kBus, 1ns, clock_);
    Duration passed{};
    endpoint.pass(1001_B, preparation, [&] { passed = events_.now().time_since_epoch(); });
    events_.run();
    return passed;
  }

  Action note(char what) {
    return [this, what] {
      order_ += what;
      times_.push_back(events_.now().time_since_epoch());
    };
  }

  sim::EventQueue events_;
  CycleClock clock_{events_, 1ns};
  std::string order_;
  std::vector<Duration> times_;
};

TEST_F(SharedBusTest, OwnDataCrossesTheMemoryThenTheBus) {
  EXPECT_EQ(pass({.own_data = true, .reduce = false, .send_back = false}), kMemory + kCross);
}

TEST_F(SharedBusTest, WhatArrivedCrossesTheBusThenTheMemory) {
  EXPECT_EQ(pass({.own_data = false, .reduce = false, .send_back = false}), kCross + kMemory);
}

TEST_F(SharedBusTest, WhatIsSentBackCrossesTheMemoryBothWaysAndTheBusAgain) {
  EXPECT_EQ(pass({.own_data = false, .reduce = false, .send_back = true}), kCross + 2 * kMemory + kCross);
}

TEST_F(SharedBusTest, AReductionReadsTheMemoryAddsAndWritesItBack) {
  const Duration reduction = 10 * 1ns + 50ns;  // per 100 bytes, and to set it up
  EXPECT_EQ(pass({.own_data = false, .reduce = true, .send_back = false}),
            kCross + 2 * kMemory + reduction + kMemory);
}

TEST_F(SharedBusTest, ASideSendsOneThingAtATime) {
  Bus bus(kBus, 1ns, clock_);
  bus.far().request(1001_B, false, false, note('a'));
  bus.far().request(1001_B, false, false, note('b'));
  events_.run();
  EXPECT_EQ(times_, (std::vector<Duration>{kCross, 510ns + kCross}));
}

// A chunk smaller than its group is sent as messages of 0 bytes: 10 - 0.5 ns are 9 cycles, 120 - 0.5 are 119.
TEST_F(SharedBusTest, NothingTakesLessThanOneByteAsInAstraSim) {
  Bus bus(kBus, 1ns, clock_);
  bus.far().request(0_B, false, false, note('a'));
  bus.far().request(0_B, false, false, note('b'));
  events_.run();
  EXPECT_EQ(times_, (std::vector<Duration>{119ns, 128ns}));
}

TEST_F(SharedBusTest, AfterASendTheGapMustPass) {
  SharedBus slow = kBus;
  slow.gap = 40ns;
  Bus bus(slow, 1ns, clock_);
  bus.far().request(1001_B, false, false, note('a'));
  bus.far().request(1001_B, false, false, note('b'));
  events_.run();
  EXPECT_EQ(times_, (std::vector<Duration>{kCross, 510ns + kCross + 30ns})) << "g instead of o";
}

TEST_F(SharedBusTest, AfterMoreThanEightSendsThePartnerGetsItsTurn) {
  Bus bus(kBus, 1ns, clock_);
  for (int i = 0; i < 12; ++i) bus.npu().request(1001_B, false, false, note('n'));
  bus.far().request(1001_B, false, false, note('f'));
  events_.run();
  EXPECT_EQ(order_, "nnnnnnnnnfnnn");
}

// Who is done says so before its side sends on: what that brings to the partner goes first, as in ASTRA-sim.
TEST_F(SharedBusTest, WhatIsBroughtByAnEndGoesBeforeWhatWaits) {
  Bus bus(kBus, 1ns, clock_);
  bus.far().request(1001_B, false, false, [&] {
    note('a')();
    bus.far().request(1001_B, false, false, note('b'));
  });
  bus.npu().request(1001_B, false, false, note('n'));
  bus.npu().request(1001_B, false, false, note('o'));
  events_.run();
  EXPECT_EQ(order_, "abno");
}

TEST_F(SharedBusTest, ReductionsGoOneAtATime) {
  SharedBus quick{.overhead = 1ns, .local_reduction = 1ns};
  Bus bus(quick, 1ns, clock_);
  bus.far().request(1000_B, true, false, note('a'));
  bus.far().request(1000_B, true, false, note('b'));
  events_.run();
  // Both have arrived by 3 ns; each takes 10 + 50 ns.
  EXPECT_EQ(times_, (std::vector<Duration>{62ns, 122ns}));
}

TEST_F(SharedBusTest, ConfigurationDecidesBetweenTheBusAndAConstantDelay) {
  SystemConfig config{.endpoint_delay = 7ns, .cycle = 1ns};
  make_endpoint(config, clock_)->pass(1001_B, {.own_data = true}, note('d'));
  events_.run();
  EXPECT_EQ(times_, (std::vector<Duration>{7ns}));
  config.shared_bus = kBus;
  const auto bus = make_endpoint(config, clock_);
  bus->pass(1001_B, {.own_data = true}, note('b'));
  events_.run();
  EXPECT_EQ(times_.back(), 7ns + kMemory + kCross);
}

}  // namespace
}  // namespace overture::system
