// Slots: the places of the cache, numbered from 0. A slot that was given back last is taken first, so a cache
// that is half empty touches half the memory.
#pragma once

#include <cstdint>
#include <vector>

namespace overture::lookahead {

class Slots {
 public:
  std::uint32_t take() {
    if (free_.empty()) return used_++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }

  std::int64_t taken() const { return std::int64_t{used_} - static_cast<std::int64_t>(free_.size()); }
  std::uint32_t most() const { return used_; }  // ever taken at once

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace overture::lookahead
