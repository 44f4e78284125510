// How much left every uplink of every ToR over time. Bounded: when there are too many bins of time, each two
// become one.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"

namespace overture::network::rotor {

class UplinkUse {
 public:
  UplinkUse() = default;
  // `bin` at first, such as a slice.
  UplinkUse(int uplinks, Duration bin, int most_bins = 256);

  // `when` in picoseconds, in any order.
  void add(int uplink, std::int64_t when, std::int64_t bytes);

  int uplinks() const { return uplinks_; }
  Duration bin() const { return bin_; }
  // Bins up to the last in which something left.
  int bins() const;
  Bytes at(int bin, int uplink) const {
    return Bytes{sent_[static_cast<std::size_t>(bin * uplinks_ + uplink)]};
  }

 private:
  void thin();

  int uplinks_ = 0;
  Duration bin_{};
  std::int64_t most_bins_ = 0;
  std::vector<std::int64_t> sent_;  // by bin, then uplink
};

}  // namespace overture::network::rotor
