// ComputedShare: what part of the time in which a party worked its thread had a core, by moment. A piece of
// work is timed by the clock on the wall; where other processes or the party's own transport took its core,
// it took longer than it computes.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/recording/recording.h"

namespace overture::recording {

class ComputedShare {
 public:
  explicit ComputedShare(const PartyRecord& party);

  // Of what began at `moment`: above 0, at most 1; 1 where nothing is known.
  double at(std::int64_t moment) const;
  // How long a piece that began then computed, in nanoseconds.
  std::int64_t computed(std::int64_t begin, std::int64_t length) const;

 private:
  struct Stretch {
    std::int64_t begin;  // until the next one begins
    double share;
  };
  std::vector<Stretch> stretches_;
};

}  // namespace overture::recording
