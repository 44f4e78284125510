// From a pair of hosts to its flow: a hash table of indices, four to eight bytes a flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/network/packet/flow.h"

namespace overture::network::packet {

class Connections {
 public:
  // The first flow of the pair, or kNone.
  std::uint32_t find(const std::vector<Flow>& flows, std::int32_t from, std::int32_t to) const;
  // flows.back() is new and the first of its pair.
  void add_last(const std::vector<Flow>& flows);

  std::size_t memory() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  std::size_t slot(const std::vector<Flow>& flows, std::int32_t from, std::int32_t to) const;

  std::vector<std::uint32_t> slots_ =
      std::vector<std::uint32_t>(64, kNone);  // a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace overture::network::packet
