#include "overture/network/packet/dcqcn.h"

#include <algorithm>
#include <cmath>

namespace overture::network::packet {

Dcqcn::Dcqcn(const DcqcnConfig& config)
    : gain_(config.gain),
      alpha_timer_(config.alpha_timer.count()),
      increase_timer_(config.increase_timer.count()),
      byte_counter_(config.byte_counter.count()),
      fast_recovery_(config.fast_recovery),
      additive_(static_cast<double>(config.additive.bits_per_second())),
      hyper_(static_cast<double>(config.hyper.bits_per_second())),
      minimum_(static_cast<double>(config.minimum.bits_per_second())) {}

// Equation 2, as often as its timer ran out. A connection that was never cut starts with alpha at 1.
void Dcqcn::decay(DcqcnState& state, std::int64_t now) const {
  const std::int64_t times = (now - state.alpha_since) / alpha_timer_;
  if (times <= 0) return;
  state.alpha *= std::pow(1 - gain_, static_cast<double>(times));
  state.alpha_since += times * alpha_timer_;
}

// Equation 1.
void Dcqcn::cut(DcqcnState& state, std::int64_t now) const {
  if (state.limited) decay(state, now);
  state.target = state.rate;
  state.rate = std::max(minimum_, state.rate * (1 - state.alpha / 2));
  state.alpha = (1 - gain_) * state.alpha + gain_;
  state.alpha_since = state.timer_since = now;
  state.bytes = 0;
  state.timer_steps = state.byte_steps = 0;
  state.limited = true;
}

void Dcqcn::raise(DcqcnState& state, std::int64_t size, std::int64_t now, double link_rate) const {
  for (; now - state.timer_since >= increase_timer_ && state.limited; state.timer_since += increase_timer_) {
    ++state.timer_steps;
    step(state, link_rate);
  }
  state.bytes += size;
  if (state.bytes < byte_counter_) return;
  state.bytes = 0;
  ++state.byte_steps;
  step(state, link_rate);
}

// Figure 7: fast recovery until one of the counters passes F, then additive, and hyper when both have.
void Dcqcn::step(DcqcnState& state, double link_rate) const {
  const std::int32_t least = std::min(state.timer_steps, state.byte_steps);
  const std::int32_t most = std::max(state.timer_steps, state.byte_steps);
  if (least > fast_recovery_) {
    state.target += (least - fast_recovery_) * hyper_;
  } else if (most > fast_recovery_) {
    state.target += additive_;
  }
  state.target = std::min(state.target, link_rate);
  state.rate = (state.target + state.rate) / 2;
  // Halving never quite arrives: within a thousandth the limiter is let go, and its alpha starts anew.
  if (state.rate < link_rate * 0.999) return;
  state = fresh(link_rate);
}

}  // namespace overture::network::packet
