#include "overture/network/packet/dcqcn.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "overture/base/random.h"

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

// The same with every timer as an event of its own, in the order of time.
class EagerDcqcn {
 public:
  EagerDcqcn(const DcqcnConfig& config, double link)
      : config_(config), link_(link), rate_(link), target_(link) {}

  void cut(std::int64_t now) {
    // Alpha's timers up to now; a cut at the very moment comes after them.
    for (; limited_ && alpha_since_ + config_.alpha_timer.count() <= now;
         alpha_since_ += config_.alpha_timer.count())
      alpha_ *= 1 - config_.gain;
    target_ = rate_;
    rate_ = std::max(static_cast<double>(config_.minimum.bits_per_second()), rate_ * (1 - alpha_ / 2));
    alpha_ = (1 - config_.gain) * alpha_ + config_.gain;
    alpha_since_ = timer_since_ = now;
    bytes_ = timers_ = counters_ = 0;
    limited_ = true;
  }
  void sent(std::int64_t size, std::int64_t now) {
    if (!limited_) return;
    for (; limited_ && timer_since_ + config_.increase_timer.count() <= now;
         timer_since_ += config_.increase_timer.count()) {
      ++timers_;
      raise();
    }
    bytes_ += size;
    if (bytes_ < config_.byte_counter.count()) return;
    bytes_ = 0;
    ++counters_;
    raise();
  }
  double rate() const { return rate_; }

 private:
  void raise() {
    const std::int64_t stage = std::min(timers_, counters_) - config_.fast_recovery;
    if (stage > 0) {
      target_ += static_cast<double>(stage * config_.hyper.bits_per_second());
    } else if (std::max(timers_, counters_) > config_.fast_recovery) {
      target_ += static_cast<double>(config_.additive.bits_per_second());
    }
    target_ = std::min(target_, link_);
    rate_ = (rate_ + target_) / 2;
    if (rate_ < 0.999 * link_) return;
    *this = EagerDcqcn(config_, link_);
  }

  DcqcnConfig config_;
  double link_;
  double rate_;
  double target_;
  double alpha_ = 1;
  std::int64_t alpha_since_ = 0;
  std::int64_t timer_since_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t timers_ = 0;
  std::int64_t counters_ = 0;
  bool limited_ = false;
};

TEST(Dcqcn, CatchesUpWithItsTimersAsIfEachHadBeenAnEvent) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    DcqcnConfig config;
    config.byte_counter = Bytes{static_cast<std::int64_t>(100'000 + random.below(2'000'000))};
    config.fast_recovery = static_cast<int>(random.below(6));
    const Dcqcn dcqcn{config};
    DcqcnState state = Dcqcn::fresh(kLink);
    EagerDcqcn eager(config, kLink);
    std::int64_t now = 0;
    for (int step = 0; step < 2'000; ++step) {
      now += static_cast<std::int64_t>(random.below(2) == 0 ? random.below(1'000'000)
                                                            : random.below(200'000'000));
      if (random.below(40) == 0) {
        dcqcn.cut(state, now);
        eager.cut(now);
      } else {
        const auto size = static_cast<std::int64_t>(1 + random.below(60'000));
        dcqcn.sent(state, size, now, kLink);
        eager.sent(size, now);
      }
      ASSERT_NEAR(state.rate, eager.rate(), 1e-6 * kLink) << "seed " << seed << " step " << step;
      ASSERT_LE(state.rate, kLink);
      ASSERT_GE(state.rate, 100e6);
    }
  }
}

}  // namespace
}  // namespace overture::network::packet
