// RowIndex: finds the number that a row was given. A flat table with linear probing, whose entries are half a
// hash and the number, eight to a cache line: the row itself is compared where the number points, which the
// caller reads next anyway. Rows are not erased one by one but swept out when the table is full, in one pass
// through its memory. Never iterated over from outside, so it decides no order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/lookahead/huge_pages.h"
#include "overture/lookahead/row.h"

namespace overture::lookahead {

class RowIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  RowIndex() : entries_(std::size_t{1} << kLeastBits) {}

  // Fetches the cache line where find(half) will start.
  void prefetch(std::uint32_t half) const { __builtin_prefetch(&entries_[home(half)], 1); }

  // The first number of a row with this hash for which `is_it(number)`, or kAbsent.
  template <class IsIt>
  std::uint32_t find(std::uint32_t half, IsIt is_it) const {
    for (std::size_t i = home(half);; i = (i + 1) & mask()) {
      const Entry entry = entries_[i];
      if (entry.half == half && is_it(entry.number)) return entry.number;
      if (entry.number == kAbsent) return kAbsent;
    }
  }

  bool full() const { return 2 * size_ >= entries_.size(); }

  // Needs the row to be absent and the index not to be full.
  void insert(std::uint32_t half, std::uint32_t number) {
    place({half, number});
    ++size_;
  }

  // Makes room: forgets the numbers for which `is_stale(number)`, and grows if half of them or more are left.
  // Calls `soon(number)` a while before, to prefetch what the other will read.
  template <class IsStale, class Soon>
  void sweep(IsStale is_stale, Soon soon);

 private:
  static constexpr int kLeastBits = 10;

  struct Entry {
    std::uint32_t half = 0;
    std::uint32_t number = kAbsent;
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t home(std::uint32_t half) const { return half >> shift_; }

  void place(Entry entry) {
    std::size_t i = home(entry.half);
    while (entries_[i].number != kAbsent) i = (i + 1) & mask();
    entries_[i] = entry;
  }
  void grow();

  HugeVector<Entry> entries_;  // a power of two, half of them free at least
  int shift_ = 32 - kLeastBits;
  std::size_t size_ = 0;
};

// From a free entry on, every entry is taken out and, unless stale, put back: at its place or nearer to its
// home, since all that may be in between has been put back before it.
template <class IsStale, class Soon>
void RowIndex::sweep(IsStale is_stale, Soon soon) {
  constexpr std::size_t kAhead = 32;
  std::size_t start = 0;
  while (entries_[start].number != kAbsent) ++start;
  for (std::size_t step = 1; step < entries_.size(); ++step) {
    if (const Entry& far = entries_[(start + step + kAhead) & mask()]; far.number != kAbsent)
      soon(far.number);
    Entry& here = entries_[(start + step) & mask()];
    if (here.number == kAbsent) continue;
    const Entry entry = here;
    here = {};
    if (is_stale(entry.number)) {
      --size_;
    } else {
      place(entry);
    }
  }
  if (4 * size_ >= entries_.size()) grow();
}

}  // namespace overture::lookahead
