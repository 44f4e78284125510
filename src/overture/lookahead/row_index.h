// RowIndex: finds the number that a row was given. A flat table with linear probing, whose entries are the
// row's key and the number; with keys of 32 bits, eight to a cache line. Rows are not erased one by one but
// swept out when the table is full, in one pass through its memory. Never iterated over from outside, so it
// decides no order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/check.h"
#include "overture/base/huge_pages.h"
#include "overture/lookahead/row.h"

namespace overture::lookahead {

template <class Key>
class RowIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  RowIndex() : entries_(std::size_t{1} << kLeastBits) {}

  // Fetches the cache line where find(key) will start.
  void prefetch(Key key) const { __builtin_prefetch(&entries_[home(key)], 1); }

  // The key's number, or kAbsent.
  std::uint32_t find(Key key) const { return entries_[search(key)].number; }

  // The key's number, or, when it has none, what `make()` gives it. Needs room for one more.
  template <class Make>
  std::uint32_t find_or_insert(Key key, Make make) {
    Entry& entry = entries_[search(key)];
    if (entry.number == kAbsent) {
      entry = {key, make()};
      ++size_;
    }
    return entry.number;
  }

  bool has_room(std::size_t more) const { return 2 * (size_ + more) <= entries_.size(); }

  // Makes room: forgets the numbers for which `is_stale(number)`, and grows if half of what there is room for
  // is left. Calls `soon(number)` a while before, to prefetch what the other will read.
  template <class IsStale, class Soon>
  void sweep(IsStale is_stale, Soon soon);

 private:
  static constexpr int kLeastBits = 10;

  struct Entry {
    Key key = 0;
    std::uint32_t number = kAbsent;
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t home(Key key) const { return hash(Row{key}) >> shift_; }

  // Where the key is, or would be.
  std::size_t search(Key key) const {
    std::size_t i = home(key);
    while (entries_[i].number != kAbsent && entries_[i].key != key) i = (i + 1) & mask();
    return i;
  }
  void grow();

  HugeVector<Entry> entries_;  // a power of two, half of them free at least
  int shift_ = 32 - kLeastBits;
  std::size_t size_ = 0;
};

// From a free entry on, every entry is taken out and, unless stale, put back: at its place or nearer to its
// home, since all that may be in between has been put back before it.
template <class Key>
template <class IsStale, class Soon>
void RowIndex<Key>::sweep(IsStale is_stale, Soon soon) {
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
      entries_[search(entry.key)] = entry;
    }
  }
  if (4 * size_ >= entries_.size()) grow();
}

template <class Key>
void RowIndex<Key>::grow() {
  check(shift_ > 0, "an index holds fewer than 2^31 rows");
  HugeVector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  --shift_;
  for (const Entry& entry : old) {
    if (entry.number != kAbsent) entries_[search(entry.key)] = entry;
  }
}

}  // namespace overture::lookahead
