#include "overture/network/packet/connections.h"

#include "overture/base/hash.h"

namespace overture::network::packet {
namespace {

std::uint64_t hash(std::int32_t from, std::int32_t to) {
  return split_mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
                   static_cast<std::uint32_t>(to));
}

}  // namespace

std::size_t Connections::slot(const std::vector<Flow>& flows, std::int32_t from, std::int32_t to) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash(from, to) & mask;
  while (slots_[place] != kNone &&
         (flows[slots_[place]].source != from || flows[slots_[place]].destination != to)) {
    place = (place + 1) & mask;
  }
  return place;
}

std::uint32_t Connections::find(const std::vector<Flow>& flows, std::int32_t from, std::int32_t to) const {
  return slots_[slot(flows, from, to)];
}

void Connections::add_last(const std::vector<Flow>& flows) {
  if (++used_ * 2 > slots_.size()) {
    std::vector<std::uint32_t> old(slots_.size() * 2, kNone);
    old.swap(slots_);
    for (const std::uint32_t flow : old) {
      if (flow != kNone) slots_[slot(flows, flows[flow].source, flows[flow].destination)] = flow;
    }
  }
  const Flow& flow = flows.back();
  slots_[slot(flows, flow.source, flow.destination)] = static_cast<std::uint32_t>(flows.size() - 1);
}

}  // namespace overture::network::packet
