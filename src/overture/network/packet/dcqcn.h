// DCQCN's reaction point (Zhu et al., SIGCOMM 2015, section 3.1): the rate of one connection. Notifications
// cut it; a timer and a byte counter raise it again: back to where it was, then beyond. No events of its own:
// timers are caught up with when the rate is needed, which is when a packet is sent.
#pragma once

#include <cstdint>

#include "overture/network/packet/lossless_config.h"

namespace overture::network::packet {

struct DcqcnState {
  double rate = 0;    // R_C, bit/s
  double target = 0;  // R_T, bit/s
  double alpha = 1;
  std::int64_t alpha_since = 0;  // when alpha last changed or a timer of its own ran out, ps
  std::int64_t timer_since = 0;  // when the increase timer last ran out or was reset, ps
  std::int64_t bytes = 0;        // since the byte counter last ran out or was reset
  std::int32_t timer_steps = 0;  // T: times that the timer ran out since the last cut
  std::int32_t byte_steps = 0;   // BC: the same for the byte counter
  bool limited = false;          // below the link's rate
};

class Dcqcn {
 public:
  explicit Dcqcn(const DcqcnConfig& config);

  // A connection on a link of that many bit/s.
  static DcqcnState fresh(double link_rate) { return {.rate = link_rate, .target = link_rate}; }

  // A CNP arrived at `now`.
  void cut(DcqcnState& state, std::int64_t now) const;
  // `size` bytes leave at `now`. Raises the rate as is due, at most to `link_rate`.
  void sent(DcqcnState& state, std::int64_t size, std::int64_t now, double link_rate) const {
    if (state.limited) raise(state, size, now, link_rate);
  }

 private:
  void raise(DcqcnState& state, std::int64_t size, std::int64_t now, double link_rate) const;
  void step(DcqcnState& state, double link_rate) const;
  void decay(DcqcnState& state, std::int64_t now) const;

  double gain_;
  std::int64_t alpha_timer_;     // ps
  std::int64_t increase_timer_;  // ps
  std::int64_t byte_counter_;
  std::int32_t fast_recovery_;
  double additive_;  // bit/s
  double hyper_;
  double minimum_;
};

}  // namespace overture::network::packet
