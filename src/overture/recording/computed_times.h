// ComputedTimes: how long each piece of a party's work computed. A piece is timed by the clock on the wall;
// where other processes or the party's own transport took its core, it took longer than it computes. The
// processor's clocks say now and then how much of the time that was; which pieces it was, is told by those
// that took longer than their like.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/recording/recording.h"

namespace overture::recording {

class ComputedTimes {
 public:
  explicit ComputedTimes(const PartyRecord& party);

  // Of the piece, or the message that was sent, that began then and took so long, in nanoseconds. What the
  // party has not done, or did after the last reading of the clocks, computed all the time.
  std::int64_t computed(std::int64_t begin, std::int64_t length) const;
  // What receiving a message computes, in the middle, where the clocks were read before and after.
  std::int64_t receiving() const { return receiving_; }

 private:
  struct Timed {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    double usual = 0;     // what its like take
    double computed = 0;  // nanoseconds
  };

  void take_from(std::size_t first, double missing);

  std::vector<Timed> timed_;  // in the order in which they began
  std::int64_t receiving_ = 0;
};

}  // namespace overture::recording
