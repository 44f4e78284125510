// SlotArena: the memory of a cache whose places are numbered from 0, all of one size. Grows by chunks, so a
// slot stays where it is, and a cache that needs few slots takes little memory.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/embedding/arena.h"

namespace overture::embedding {

class SlotArena {
 public:
  explicit SlotArena(std::int32_t stride) : stride_(stride) {}

  // Makes slots 0 to before `count` usable.
  void reserve(std::uint32_t count) {
    while (std::uint64_t{chunks_.size()} * kChunk < count)
      chunks_.emplace_back(std::size_t{kChunk} * static_cast<std::size_t>(stride_) * sizeof(float));
  }
  // How many there are, from 0.
  std::uint64_t size() const { return std::uint64_t{chunks_.size()} * kChunk; }
  float* slot(std::uint32_t number) const {
    return chunks_[number / kChunk].floats() +
           static_cast<std::size_t>(number % kChunk) * static_cast<std::size_t>(stride_);
  }

 private:
  static constexpr std::uint32_t kChunk = 1 << 15;

  std::int32_t stride_;
  std::vector<Arena> chunks_;
};

}  // namespace overture::embedding
