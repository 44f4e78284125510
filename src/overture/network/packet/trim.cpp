// NDP's queue (Handley et al., SIGCOMM 2017, 3.1): a short queue of data, which loses its payload when the
// queue is full, and control packets and headers before it. Only data that has to wait is really queued.
#include <algorithm>
#include <limits>

#include "overture/network/packet/fabric.h"

namespace overture::network::packet {

void WaitingData::push(const Packet& packet) {
  if (ring == nullptr || tail - head > mask) {
    constexpr std::uint32_t kFirstRing = 16;
    const std::uint32_t size = ring == nullptr ? kFirstRing : 2 * (mask + 1);
    auto larger = std::make_unique<Packet[]>(size);
    for (std::uint32_t i = head; i != tail; ++i) larger[i & (size - 1)] = ring[i & mask];
    ring = std::move(larger);
    mask = size - 1;
  }
  ring[tail++ & mask] = packet;
  bytes += packet.size;
}

void Fabric::build_trimming(const topology::Graph& graph, const TrimConfig& trim) {
  waiting_ = std::vector<WaitingData>(links_.size());
  host_links_ = first_link_[static_cast<std::size_t>(graph.hosts())];
  data_limit_ = trim.data_limit.count();
  control_limit_ = trim.control_limit.count();
  constexpr double kAll = 0x1.0p63;
  trim_below_ = static_cast<std::uint64_t>(trim.trim_arriving * kAll) * 2;
  if (trim.trim_arriving == 1) trim_below_ = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t id = 0; id < links_.size(); ++id) {
    // Below this wait the control queue cannot be full. A host's never is.
    links_[id].attention =
        id < host_links_
            ? std::numeric_limits<std::int64_t>::max()
            : std::max<std::int64_t>(
                  0, sending_time(id, control_limit_ - std::numeric_limits<std::uint16_t>::max()));
  }
}

void Fabric::enqueue_trimming(std::uint32_t id, Packet& packet) {
  FabricLink& link = links_[id];
  WaitingData& waiting = waiting_[id];
  if (link.free_at <= now_ && waiting.empty()) return start_data(id, packet);
  const std::int64_t sent = waiting.data_end > now_ ? waiting.data_size : 0;
  if (waiting.bytes + sent + packet.size > data_limit_) {
    if (waiting.empty() || coins_() < trim_below_) return trim(id, packet);
    Packet last = waiting.back();
    --waiting.tail;
    waiting.bytes -= last.size;
    trim(id, last);
  }
  LinkMore& more = more_[id];
  const std::int64_t wait = std::max<std::int64_t>(link.free_at - now_, 0);
  more.peak = std::max(more.peak, wait + serialisation(link, more, waiting.bytes));
  waiting.push(packet);
  if (!waiting.armed) arm(id);
}

void Fabric::trim(std::uint32_t id, Packet& packet) {
  ++waiting_[id].trims;
  ++counts_.trims;
  packet.kind = Kind::header;
  packet.size = std::min(packet.size, header_);
  enqueue_control(id, packet);
}

// Control packets leave without a gap from the end of the data being sent, or from now.
bool Fabric::control_full(std::uint32_t id, const Packet& packet) {
  const std::int64_t since = std::max(now_, waiting_[id].data_end);
  const std::int64_t queued = bytes_in(more_[id], std::max<std::int64_t>(links_[id].free_at - since, 0));
  if (queued + packet.size <= control_limit_) return false;
  ++more_[id].drops;
  ++counts_.drops;
  return true;
}

void Fabric::start_data(std::uint32_t id, Packet& packet) {
  FabricLink& link = links_[id];
  commit(id, link, packet, now_);
  waiting_[id].data_end = link.free_at;
  waiting_[id].data_size = packet.size;
}

void Fabric::start_waiting(std::uint32_t id) {
  WaitingData& waiting = waiting_[id];
  Packet packet = waiting.front();
  ++waiting.head;
  waiting.bytes -= packet.size;
  start_data(id, packet);
  if (!waiting.empty()) arm(id);
}

}  // namespace overture::network::packet
