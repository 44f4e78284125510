// What links did over time: how much had left each of them, and how much waited, at regular moments. Off
// unless asked for. Bounded: when the samples are full, every second one goes and the interval doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/base/units.h"

namespace overture::network {

struct MonitorConfig {
  Duration interval = std::chrono::microseconds(1);  // at first
  int samples = 256;                                 // at most kept per link; even
};

// Throws UserError naming the value that cannot work.
void require_sound(const MonitorConfig& config);

// With no more samples than fit into 64 MB for so many links; an even number.
MonitorConfig bounded(MonitorConfig config, std::size_t links);

// A link at one moment.
struct LinkState {
  Bytes sent;    // that had left since time 0
  Bytes queued;  // that waited or was being sent; after thinning the most of the moments that were joined
};

class LinkHistory {
 public:
  LinkHistory() = default;
  LinkHistory(const MonitorConfig& config, std::size_t links);

  // When the next sample is due.
  Time next() const {
    const bool ever = interval_.count() <= Duration::max().count() / (samples_ + 1);
    return ever ? Time{interval_ * (samples_ + 1)} : Time::max();
  }
  // The state of all links at next().
  void add(const std::vector<LinkState>& links);

  Duration interval() const { return interval_; }
  // Sample i was taken at interval() * (i + 1).
  std::int64_t samples() const { return samples_; }
  const LinkState& at(std::int64_t sample, std::size_t link) const {
    return states_[static_cast<std::size_t>(sample) * links_ + link];
  }
  // The share of the time since the sample before in which the link was busy, if it carries `rate`.
  double utilisation(std::int64_t sample, std::size_t link, Bandwidth rate) const;

 private:
  void thin();

  Duration interval_{};
  std::int64_t most_ = 0;
  std::size_t links_ = 0;
  std::int64_t samples_ = 0;
  std::vector<LinkState> states_;  // by sample, then link
};

}  // namespace overture::network
