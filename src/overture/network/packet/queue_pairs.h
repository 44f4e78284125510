// From two hosts and a priority to their RoCE connection: a hash table of indices, four to eight bytes a
// connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/network/packet/roce_flow.h"

namespace overture::network::packet {

class QueuePairs {
 public:
  // The connection, or kNone.
  std::uint32_t find(const std::vector<RoceFlow>& flows, int from, int to, std::uint8_t priority) const {
    return slots_[slot(flows, from, to, priority)];
  }
  // flows.back() is new.
  void add_last(const std::vector<RoceFlow>& flows);

  std::size_t memory() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  std::size_t slot(const std::vector<RoceFlow>& flows, int from, int to, std::uint8_t priority) const;
  void put(const std::vector<RoceFlow>& flows, std::uint32_t index) {
    const RoceFlow& flow = flows[index];
    slots_[slot(flows, flow.source, flow.destination, flow.priority)] = index;
  }

  std::vector<std::uint32_t> slots_ =
      std::vector<std::uint32_t>(64, kNone);  // a power of two, at most half full
};

}  // namespace overture::network::packet
