// What is due in which cycle. A wheel of buckets for the near future, since nearly everything is due within a
// few hundred cycles, and a heap for the rest.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "overture/network/garnet/channel.h"

namespace overture::network::garnet {

class Wheel {
 public:
  // `when` lies behind the cycle that was taken last.
  void add(Cycle when, std::uint32_t what) {
    if (when - now_ >= kSlots) {
      far_.emplace(when, what);
      return;
    }
    const auto slot = static_cast<std::size_t>(when & (kSlots - 1));
    slots_[slot].push_back(what);
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  // The next cycle in which something is due; none when nothing is.
  Cycle next() const {
    for (Cycle ahead = 1; ahead <= kSlots;) {
      const auto slot = static_cast<std::size_t>((now_ + ahead) & (kSlots - 1));
      const std::uint64_t word = used_[slot / 64] >> (slot % 64);
      if (word != 0) {
        const Cycle found = ahead + std::countr_zero(word);
        if (found < kSlots) return far_.empty() ? now_ + found : std::min(now_ + found, far_.top().first);
        break;
      }
      ahead += 64 - static_cast<Cycle>(slot % 64);
    }
    return far_.empty() ? kNone : far_.top().first;
  }

  // Moves on to `when`, which is not behind next(), and hands out what is due then: first what was added when
  // it was beyond the wheel, by number, then the rest in the order in which it was added.
  void take(Cycle when, std::vector<std::uint32_t>& due) {
    due.clear();
    now_ = when;
    const auto slot = static_cast<std::size_t>(when & (kSlots - 1));
    for (; !far_.empty() && far_.top().first == when; far_.pop()) due.push_back(far_.top().second);
    due.insert(due.end(), slots_[slot].begin(), slots_[slot].end());
    slots_[slot].clear();
    used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }

 private:
  static constexpr Cycle kSlots = 4096;
  using Far = std::pair<Cycle, std::uint32_t>;

  Cycle now_ = -1;
  std::vector<std::vector<std::uint32_t>> slots_ = std::vector<std::vector<std::uint32_t>>(kSlots);
  std::vector<std::uint64_t> used_ = std::vector<std::uint64_t>(kSlots / 64);
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

}  // namespace overture::network::garnet
