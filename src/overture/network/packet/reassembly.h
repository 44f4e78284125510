// What a receiver holds beyond the first gap, and the SACK blocks that tell the sender (RFC 2018). Flows
// whose data come in order have none.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace overture::network::packet {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// As many as fit into a header that has no other option. ns-3 does the same.
struct SackBlocks {
  static constexpr int kMost = 4;
  std::array<Interval, kMost> blocks;
  int count = 0;

  // Option bytes on the wire: kind, length, padding, and two 32-bit numbers a block.
  int bytes() const { return count == 0 ? 0 : 4 + 8 * count; }
};

class Reassembly {
 public:
  void clear();
  bool empty() const { return held_.empty(); }

  // Holds [begin, end), which starts at or beyond `expected`. False if all of it is held already.
  bool add(Interval piece, std::uint64_t expected);
  // Releases what `expected` has reached, and returns the new next offset in order.
  std::uint64_t release(std::uint64_t expected);
  // The newest first.
  const SackBlocks& blocks() const { return recent_; }

 private:
  void tell(Interval piece);

  std::vector<Interval> held_;  // apart from each other
  // As in ns-3, what was told longest ago is forgotten when a fifth block comes, and what comes next to it
  // later is told without it.
  SackBlocks recent_;
};

}  // namespace overture::network::packet
