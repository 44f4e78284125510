#include "overture/network/packet/reassembly.h"

#include <algorithm>

namespace overture::network::packet {

void Reassembly::clear() {
  held_.clear();
  recent_.count = 0;
}

bool Reassembly::add(Interval piece, std::uint64_t expected) {
  const Interval news = piece;
  for (const Interval& other : held_) {
    if (other.begin <= piece.begin && piece.end <= other.end) return false;
  }
  std::erase_if(held_, [&](const Interval& other) {
    if (other.end < piece.begin || piece.end < other.begin) return false;
    piece = {std::min(piece.begin, other.begin), std::max(piece.end, other.end)};
    return true;
  });
  held_.push_back(piece);
  if (news.begin > expected) tell(news);
  return true;
}

// Puts the block in front, grown by those that touch it.
void Reassembly::tell(Interval piece) {
  SackBlocks blocks;
  for (int i = 0; i < recent_.count; ++i) {
    const Interval& other = recent_.blocks[static_cast<std::size_t>(i)];
    if (other.end < piece.begin || piece.end < other.begin) {
      if (blocks.count + 1 < SackBlocks::kMost)
        blocks.blocks[static_cast<std::size_t>(++blocks.count)] = other;
    } else {
      piece = {std::min(piece.begin, other.begin), std::max(piece.end, other.end)};
    }
  }
  ++blocks.count;
  blocks.blocks[0] = piece;
  recent_ = blocks;
}

std::uint64_t Reassembly::release(std::uint64_t expected) {
  // Intervals are apart, so at most one begins at or before `expected` and ends behind it.
  std::erase_if(held_, [&](const Interval& interval) {
    if (interval.begin > expected) return false;
    expected = std::max(expected, interval.end);
    return true;
  });
  const auto begin = recent_.blocks.begin();
  const auto end = begin + recent_.count;
  recent_.count = static_cast<int>(
      std::remove_if(begin, end, [&](const Interval& block) { return block.end <= expected; }) - begin);
  return expected;
}

}  // namespace overture::network::packet
