// What every link of a rotor network carried over time, and how much stood in front of it. Bounded: when
// there are too many bins of time, each two become one.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

// Numbers for the one-way links: of hosts to their ToRs and back, of ToRs to rotors and back.
class LinkNumbers {
 public:
  LinkNumbers() = default;
  explicit LinkNumbers(const topology::Opera& opera)
      : hosts_(opera.hosts()), tors_(opera.tors()), rotors_(opera.uplinks()) {}

  int count() const { return 2 * (hosts_ + tors_ * rotors_); }
  int from_host(int host) const { return host; }
  int to_host(int host) const { return hosts_ + host; }
  int to_rotor(int tor, int rotor) const { return 2 * hosts_ + tor * rotors_ + rotor; }
  int from_rotor(int rotor, int tor) const { return 2 * hosts_ + (tors_ + tor) * rotors_ + rotor; }

 private:
  int hosts_ = 0;
  int tors_ = 0;
  int rotors_ = 0;
};

class LinkLoad {
 public:
  LinkLoad() = default;
  // `bin` at first, such as a slice; `most_bins` is even.
  LinkLoad(const LinkNumbers& links, Duration bin, int most_bins = 256);

  // `when` in picoseconds, in any order: so much has left over the link; so much stood in front of it.
  void carry(int link, std::int64_t when, std::int64_t bytes) { at(when, link).carried += bytes; }
  void queue(int link, std::int64_t when, std::int64_t bytes) {
    std::int64_t& longest = at(when, link).queued;
    longest = bytes > longest ? bytes : longest;
  }

  const LinkNumbers& links() const { return links_; }
  Duration bin() const { return bin_; }
  // Bins up to the last in which something was noted.
  int bins() const;
  Bytes carried(int bin, int link) const { return Bytes{cell(bin, link).carried}; }
  Bytes longest_queue(int bin, int link) const { return Bytes{cell(bin, link).queued}; }

 private:
  struct Cell {
    std::int64_t carried = 0;
    std::int64_t queued = 0;
  };
  Cell& at(std::int64_t when, int link);
  const Cell& cell(int bin, int link) const {
    return cells_[static_cast<std::size_t>(bin) * static_cast<std::size_t>(links_.count()) +
                  static_cast<std::size_t>(link)];
  }
  void thin();

  LinkNumbers links_;
  Duration bin_{};
  std::int64_t most_bins_ = 0;
  std::vector<Cell> cells_;  // by bin, then link
};

}  // namespace overture::network::rotor
