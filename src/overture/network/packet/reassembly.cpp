#include "overture/network/packet/reassembly.h"

#include <algorithm>

namespace overture::network::packet {

void Reassembly::add(Interval piece) {
  std::erase_if(intervals_, [&](const Interval& other) {
    if (other.end < piece.begin || piece.end < other.begin) return false;
    piece = {std::min(piece.begin, other.begin), std::max(piece.end, other.end)};
    return true;
  });
  intervals_.push_back(piece);
}

std::uint64_t Reassembly::release(std::uint64_t expected) {
  // Intervals are apart, so at most one begins at or before `expected` and ends behind it.
  std::erase_if(intervals_, [&](const Interval& interval) {
    if (interval.begin > expected) return false;
    expected = std::max(expected, interval.end);
    return true;
  });
  return expected;
}

SackBlocks Reassembly::blocks() const {
  SackBlocks blocks;
  for (auto it = intervals_.rbegin(); it != intervals_.rend() && blocks.count < SackBlocks::kMost; ++it) {
    blocks.blocks[static_cast<std::size_t>(blocks.count++)] = *it;
  }
  return blocks;
}

}  // namespace overture::network::packet
