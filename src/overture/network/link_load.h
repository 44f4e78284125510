// What every link carried over time, and how much stood in front of it, where that is noted message by
// message and not in the order of time. Bounded: when there are too many bins of time, each two become one.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/link_history.h"
#include "overture/network/record.h"

namespace overture::network {

class LinkLoad {
 public:
  LinkLoad() = default;
  // `bin` at first; `most_bins` is even.
  LinkLoad(int links, Duration bin, int most_bins = 256);

  // `when` in picoseconds, in any order: so much has left over the link; so much stood in front of it.
  void carry(int link, std::int64_t when, std::int64_t bytes) { at(when, link).carried += bytes; }
  void queue(int link, std::int64_t when, std::int64_t bytes) {
    std::int64_t& longest = at(when, link).queued;
    longest = bytes > longest ? bytes : longest;
  }
  // So much leaves from `start` on, evenly over `busy`.
  void carry_during(int link, std::int64_t start, std::int64_t busy, std::int64_t bytes);

  int links() const { return links_; }
  Duration bin() const { return bin_; }
  // Bins up to the last in which something was noted.
  int bins() const;
  Bytes carried(int bin, int link) const { return Bytes{cell(bin, link).carried}; }
  Bytes longest_queue(int bin, int link) const { return Bytes{cell(bin, link).queued}; }

  // Fills in the history of a record whose links are these, and what was carried, busy and queued in all.
  void put_into(NetworkRecord& record) const;

 private:
  struct Cell {
    std::int64_t carried = 0;
    std::int64_t queued = 0;
  };
  Cell& at(std::int64_t when, int link);
  const Cell& cell(int bin, int link) const {
    return cells_[static_cast<std::size_t>(bin) * static_cast<std::size_t>(links_) +
                  static_cast<std::size_t>(link)];
  }
  void thin();

  int links_ = 0;
  Duration bin_{};
  std::int64_t most_bins_ = 0;
  std::vector<Cell> cells_;  // by bin, then link
};

}  // namespace overture::network
