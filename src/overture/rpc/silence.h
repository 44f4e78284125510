// Silence: which peers have not been heard of for too long. A machine that is cut off says nothing, and MPI
// waits for it for ever. Knows no clock: whoever asks says what time it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace overture::rpc {

class Silence {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Of ranks that are `watched`; all have just been heard of.
  Silence(const std::vector<bool>& watched, std::chrono::steady_clock::duration most, Time now)
      : most_(most), watched_(watched), heard_(watched.size(), now) {}

  void heard(int rank, Time now) { heard_[static_cast<std::size_t>(rank)] = now; }
  void left(int rank) { watched_[static_cast<std::size_t>(rank)] = false; }
  bool watches(int rank) const { return watched_[static_cast<std::size_t>(rank)]; }

  // The one that has been silent longest, if that is too long.
  std::optional<int> silent(Time now) const {
    std::optional<int> longest;
    for (std::size_t rank = 0; rank < heard_.size(); ++rank) {
      if (!watched_[rank] || now - heard_[rank] < most_) continue;
      if (!longest || heard_[rank] < heard_[static_cast<std::size_t>(*longest)])
        longest = static_cast<int>(rank);
    }
    return longest;
  }

 private:
  std::chrono::steady_clock::duration most_;
  std::vector<bool> watched_;  // by rank, as the next
  std::vector<Time> heard_;
};

}  // namespace overture::rpc
