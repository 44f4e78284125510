#include "overture/network/packet/queue_pairs.h"

namespace overture::network::packet {

std::size_t QueuePairs::slot(const std::vector<RoceFlow>& flows, int from, int to,
                             std::uint8_t priority) const {
  const std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
                            static_cast<std::uint32_t>(to) << 3 | priority;
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = (key * 0x9e3779b97f4a7c15U) >> 20 & mask;  // Fibonacci hashing (Knuth, volume 3, 6.4)
  const auto other = [&](const RoceFlow& flow) {
    return flow.source != from || flow.destination != to || flow.priority != priority;
  };
  while (slots_[place] != kNone && other(flows[slots_[place]])) place = (place + 1) & mask;
  return place;
}

void QueuePairs::add_last(const std::vector<RoceFlow>& flows) {
  if (flows.size() * 2 > slots_.size()) {
    std::vector<std::uint32_t> old(slots_.size() * 2, kNone);
    old.swap(slots_);
    for (const std::uint32_t index : old) {
      if (index != kNone) put(flows, index);
    }
  }
  put(flows, static_cast<std::uint32_t>(flows.size() - 1));
}

}  // namespace overture::network::packet
