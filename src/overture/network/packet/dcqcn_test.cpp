#include "overture/network/packet/dcqcn.h"

#include <cmath>

#include <gtest/gtest.h>

namespace overture::network::packet {
namespace {

constexpr double kLink = 40e9;               // bit/s
constexpr std::int64_t kTimer = 55'000'000;  // ps, of alpha and of increases
constexpr double kGain = 1.0 / 256;

TEST(Dcqcn, TheFirstNotificationHalvesTheRate) {
  const Dcqcn dcqcn{DcqcnConfig{}};
  DcqcnState state = Dcqcn::fresh(kLink);
  dcqcn.cut(state, 0);
  EXPECT_DOUBLE_EQ(state.rate, kLink / 2);
  EXPECT_DOUBLE_EQ(state.target, kLink);
  EXPECT_DOUBLE_EQ(state.alpha, 1);
}

TEST(Dcqcn, AlphaDecaysWithEveryTimerThatBringsNoNotification) {
  const Dcqcn dcqcn{DcqcnConfig{}};
  DcqcnState state = Dcqcn::fresh(kLink);
  dcqcn.cut(state, 0);
  dcqcn.cut(state, 10 * kTimer + 1);
  const double alpha = std::pow(1 - kGain, 10);
  EXPECT_NEAR(state.rate, kLink / 2 * (1 - alpha / 2), 1);
  EXPECT_NEAR(state.alpha, (1 - kGain) * alpha + kGain, 1e-12);
}

TEST(Dcqcn, RecoversFastThenAddsThenJumps) {
  DcqcnConfig config;
  config.byte_counter = Bytes{1'000'000'000'000};
  const Dcqcn dcqcn{config};
  DcqcnState state = Dcqcn::fresh(kLink);
  dcqcn.cut(state, 0);
  dcqcn.cut(state, 1);
  EXPECT_DOUBLE_EQ(state.rate, kLink / 4);
  for (int step = 1; step <= 5; ++step) {  // half of the way back to 20 Gbps, five times
    dcqcn.sent(state, 1, step * kTimer + 1, kLink);
    EXPECT_NEAR(state.rate, kLink / 2 - kLink / 4 / std::pow(2, step), 1) << step;
    EXPECT_DOUBLE_EQ(state.target, kLink / 2) << step;
  }
  dcqcn.sent(state, 1, 6 * kTimer + 1, kLink);
  EXPECT_DOUBLE_EQ(state.target, kLink / 2 + 40e6);
  state.byte_steps = 7;
  dcqcn.sent(state, 1, 7 * kTimer + 1, kLink);  // both counters are two beyond F
  EXPECT_DOUBLE_EQ(state.target, kLink / 2 + 40e6 + 2 * 400e6);
}

TEST(Dcqcn, BytesRaiseTheRateAsTheTimerDoes) {
  const Dcqcn dcqcn{DcqcnConfig{}};
  DcqcnState state = Dcqcn::fresh(kLink);
  dcqcn.cut(state, 0);
  dcqcn.sent(state, 9'999'999, 1, kLink);
  EXPECT_DOUBLE_EQ(state.rate, kLink / 2);
  dcqcn.sent(state, 1, 2, kLink);
  EXPECT_DOUBLE_EQ(state.rate, kLink * 3 / 4);
}

TEST(Dcqcn, StaysBetweenItsMinimumAndTheLink) {
  const Dcqcn dcqcn{DcqcnConfig{}};
  DcqcnState state = Dcqcn::fresh(kLink);
  for (int i = 0; i < 100; ++i) dcqcn.cut(state, i);
  EXPECT_DOUBLE_EQ(state.rate, 100e6);
  for (int i = 1; i < 5'000; ++i) {
    dcqcn.sent(state, 100'000, i * kTimer, kLink);
    EXPECT_LE(state.rate, kLink);
  }
  EXPECT_DOUBLE_EQ(state.rate, kLink);
  EXPECT_FALSE(state.limited);
}

}  // namespace
}  // namespace overture::network::packet
