// Events that are far away: timers and starts. Most come in time order (starts of a list, timeouts of one
// length), so each goes to the end of a lane where it fits, and only what fits nowhere goes into a heap. Ties
// leave in the order in which they came.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace overture::network::packet {

class FarQueue {
 public:
  struct Entry {
    std::int64_t when;  // ps
    std::uint64_t order;
    std::uint32_t what;
    std::uint32_t tie;  // kept for the calendar; no part of the order here

    bool before(const Entry& other) const {
      return when != other.when ? when < other.when : order < other.order;
    }
  };

  void push(std::int64_t when, std::uint32_t what, std::uint32_t tie) {
    const Entry entry{when, order_++, what, tie};
    for (Lane& lane : lanes_) {
      if (!lane.empty() && lane.entries.back().when > when) continue;
      lane.entries.push_back(entry);
      return choose();
    }
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
    choose();
  }

  // When the next one is due; the largest number if there is none.
  std::int64_t next_time() const { return next_time_; }
  // Takes the next one, if there is one.
  Entry pop() {
    Entry entry;
    if (next_ == kHeap) {
      entry = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
    } else {
      entry = lanes_[next_].pop();
    }
    choose();
    return entry;
  }

 private:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kHeap = kLanes;

  struct Lane {
    std::vector<Entry> entries;
    std::size_t head = 0;

    bool empty() const { return head == entries.size(); }
    Entry pop() {
      const Entry entry = entries[head++];
      if (2 * head > entries.size()) {  // at most half is waste, and each entry moves once on average
        entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(head));
        head = 0;
      }
      return entry;
    }
  };

  static bool later(const Entry& a, const Entry& b) { return b.before(a); }

  void choose() {
    const Entry* first = heap_.empty() ? nullptr : &heap_.front();
    next_ = kHeap;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (lanes_[i].empty()) continue;
      const Entry& entry = lanes_[i].entries[lanes_[i].head];
      if (first != nullptr && first->before(entry)) continue;
      first = &entry;
      next_ = i;
    }
    next_time_ = first == nullptr ? std::numeric_limits<std::int64_t>::max() : first->when;
  }

  std::array<Lane, kLanes> lanes_;
  std::vector<Entry> heap_;
  std::uint64_t order_ = 0;
  std::size_t next_ = kHeap;  // where the next entry is
  std::int64_t next_time_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace overture::network::packet
