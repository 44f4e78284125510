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

// As many as fit beside no other option would be four; ns-3 and most stacks send three.
struct SackBlocks {
  static constexpr int kMost = 3;
  std::array<Interval, kMost> blocks;
  int count = 0;

  // Option bytes on the wire: kind, length, padding, and two 32-bit numbers a block.
  int bytes() const { return count == 0 ? 0 : 4 + 8 * count; }
};

class Reassembly {
 public:
  void clear() { intervals_.clear(); }
  bool empty() const { return intervals_.empty(); }

  // Holds [begin, end), which starts beyond what is in order.
  void add(Interval piece);
  // Releases what `expected` has reached, and returns the new next offset in order.
  std::uint64_t release(std::uint64_t expected);
  // The newest first.
  SackBlocks blocks() const;

 private:
  std::vector<Interval> intervals_;  // apart from each other; the newest last
};

}  // namespace overture::network::packet
