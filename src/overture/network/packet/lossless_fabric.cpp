#include "overture/network/packet/lossless_fabric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::network::packet {
namespace {

int count_lanes(const LosslessConfig& config) { return 2 + static_cast<int>(config.small_first.size()); }

// Runs before anything is allocated.
const topology::Topology& with_room_for_ports(const topology::Topology& topology,
                                              const PacketConfig& config) {
  const std::size_t links = topology.graph.links().size();
  const auto lanes = static_cast<std::size_t>(count_lanes(config.lossless));
  const std::size_t per_lane = sizeof(LaneQueue) + sizeof(Ingress);
  const std::size_t bytes = links * (sizeof(Port) + sizeof(PortMore) + lanes * per_lane);
  require_memory(links, bytes);
  return topology;
}

// Buckets so narrow that a busy network has few events in each, and enough of them for a packet on a link of
// usual length. Links that are much faster than the slowest are seldom busy (a torus' hosts').
Calendar make_calendar(const topology::Graph& graph, const PacketConfig& config) {
  constexpr double kPerBucket = 1;
  constexpr double kMuchFaster = 4;
  constexpr int kMaxBits = 14;
  const auto sending = [&](const topology::Link& link) {
    return static_cast<double>(largest_packet(config).count() * kBitPs) /
           static_cast<double>(link.wire.rate.bits_per_second());
  };
  double slowest = 0;
  for (const topology::Link& link : graph.links()) slowest = std::max(slowest, sending(link));
  double per_ps = 0;
  double reach = 1;
  for (const topology::Link& link : graph.links()) {
    per_ps += 1 / std::max(sending(link), slowest / kMuchFaster);
    reach = std::max(reach, static_cast<double>(link.wire.delay.count()) + sending(link));
  }
  const int shift = std::clamp(static_cast<int>(std::log2(kPerBucket / per_ps)), 0, 40);
  const int bits = std::clamp(static_cast<int>(std::ceil(std::log2(reach))) - shift + 1, 6, kMaxBits);
  const auto links = static_cast<std::uint32_t>(graph.links().size());
  return {links * 3, shift, bits, static_cast<std::int64_t>(2 * reach)};
}

// Per link the one the other way: of parallel cables, the first belongs to the first.
std::vector<std::uint32_t> opposites(const topology::Graph& graph) {
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> cables;
  for (std::uint32_t id = 0; id < graph.links().size(); ++id) {
    cables[{graph.links()[id].from, graph.links()[id].to}].push_back(id);
  }
  std::vector<std::uint32_t> result(graph.links().size());
  for (const auto& [ends, ids] : cables) {
    const auto back = cables.find({ends.second, ends.first});
    if (back == cables.end() || back->second.size() != ids.size()) {
      throw UserError(
          {.key = "network.transport"},
          fmt::format("roce and plain need a link back for every link, but of {} to {} there are {}, back {}",
                      node_name(graph, ends.first), node_name(graph, ends.second), ids.size(),
                      back == cables.end() ? 0 : back->second.size()),
          "use tcp or ndp, or links both ways");
    }
    for (std::size_t i = 0; i < ids.size(); ++i) result[ids[i]] = back->second[i];
  }
  return result;
}

}  // namespace

LosslessFabric::LosslessFabric(const topology::Topology& topology, const PacketConfig& config)
    : pfc_(config.lossless.control == LinkControl::pfc),
      lanes_(count_lanes(config.lossless)),
      last_lane_(static_cast<std::uint8_t>(lanes_ - 1)),
      hosts_(topology.graph.hosts()),
      host_links_(static_cast<std::uint32_t>(topology.graph.first_link(hosts_))),
      ports_(with_room_for_ports(topology, config).graph.links().size()),
      calendar_(make_calendar(topology.graph, config)),
      queues_(ports_.size() * static_cast<std::size_t>(lanes_)),
      more_(ports_.size()),
      routes_(topology, config),
      coins_(RandomStreams(config.seed).make("ecn")),
      mark_probability_(config.lossless.ecn.probability) {
  const topology::Graph& graph = topology.graph;
  port_mask_ = routes_.mask();
  build_ports(graph);
  for (PortMore& port : more_) {
    const Bandwidth rate = Bandwidth::bits_per_second(port.bits_per_second);
    port.mark_min = config.lossless.ecn.min_at(rate).count();
    port.mark_max = config.lossless.ecn.max_at(rate).count();
  }
  build_buffers(graph, config.lossless, largest_packet(config).count());
}

void LosslessFabric::build_ports(const topology::Graph& graph) {
  for (int node = 0; node < graph.nodes(); ++node) {
    first_link_.push_back(static_cast<std::uint32_t>(graph.first_link(node)));
  }
  const std::vector<std::uint32_t> reverse = opposites(graph);
  for (std::uint32_t id = 0; id < ports_.size(); ++id) {
    const topology::Link& link = graph.links()[id];
    Port& port = ports_[id];
    const std::int64_t rate = link.wire.rate.bits_per_second();
    more_[id].bits_per_second = rate;
    if (kBitPs % rate == 0 && kBitPs / rate <= std::numeric_limits<std::uint32_t>::max())
      port.ps_per_byte = static_cast<std::uint32_t>(kBitPs / rate);
    port.delay = link.wire.delay.count();
    port.to = link.to;
    port.next_port = first_link_[static_cast<std::size_t>(link.to)] - 1;
    port.reverse = reverse[id];
  }
}

std::uint32_t LosslessFabric::take_parcel(const Packet& packet) {
  std::uint32_t index = free_parcels_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(parcels_.size());
    parcels_.emplace_back();
  } else {
    free_parcels_ = parcels_[index].next;
  }
  parcels_[index] = {.packet = packet};
  return index;
}

void LosslessFabric::schedule(Wake& wake, std::uint32_t what, std::int64_t when) {
  if (wake.next <= when) return;
  wake.next = when;
  if (wake.pending) return calendar_.push_far(what | kAgain, when);
  wake.pending = true;
  calendar_.push(what, when, now_);
}

// ---- hosts

void LosslessFabric::send_now(std::uint32_t link, int lane, const Packet& packet) {
  const std::uint32_t index = take_parcel(packet);
  Packet& copy = parcels_[index].packet;
  copy.route >>= routes_.bits();
  start(link, ports_[link], index, static_cast<std::uint8_t>(lane));
}

void LosslessFabric::send_control(std::uint32_t link, const Packet& packet) {
  const std::uint32_t index = take_parcel(packet);
  Packet& copy = parcels_[index].packet;
  copy.route >>= routes_.bits();
  enqueue(link, 0, index);
}

// ---- links and queues

void LosslessFabric::put_on_wire(std::uint32_t id, Port& port, std::uint32_t index, std::int64_t arrival) {
  parcels_[index].packet.arrival = arrival;
  if (port.wire.empty()) calendar_.push(id, arrival, now_);
  append(port.wire, index);
}

// The link is free and the lane open.
void LosslessFabric::start(std::uint32_t id, Port& port, std::uint32_t index, std::uint8_t lane) {
  Parcel& parcel = parcels_[index];
  port.bytes += parcel.packet.size;
  parcel.lane = lane;
  port.free_at = now_ + serialisation(port, more_[id], parcel.packet.size);
  put_on_wire(id, port, index, port.free_at + port.delay);
  // A packet gives its place in the switch back when it starts to leave, as in the HPCC simulator.
  if (parcel.from != kNone) leave(parcel.from, parcel.packet.size);
}

// Starts the first packet of the best lane that may; false if there is none. The link is free.
bool LosslessFabric::start_waiting(std::uint32_t id) {
  Port& port = ports_[id];
  const auto ready = static_cast<unsigned>(port.waiting & ~port.blocked);
  if (ready == 0) return false;
  const auto lane = static_cast<std::uint8_t>(std::countr_zero(ready));
  LaneQueue& queue = queues_[lane_id(id, lane)];
  const std::uint32_t index = take_first(queue.parcels);
  const std::int64_t size = parcels_[index].packet.size;
  queue.bytes -= size;
  more_[id].queued -= size;
  if (queue.parcels.empty()) port.waiting = static_cast<std::uint8_t>(port.waiting & ~(1U << lane));
  start(id, port, index, lane);
  if ((port.waiting & ~port.blocked) != 0 && !port.armed) arm(id);
  return true;
}

void LosslessFabric::enqueue(std::uint32_t id, std::uint8_t lane, std::uint32_t index) {
  Port& port = ports_[id];
  if (!has_to_wait(port, lane)) return start(id, port, index, lane);
  PortMore& more = more_[id];
  LaneQueue& queue = queues_[lane_id(id, lane)];
  const std::int64_t size = parcels_[index].packet.size;
  append(queue.parcels, index);
  queue.bytes += size;
  port.waiting = static_cast<std::uint8_t>(port.waiting | 1U << lane);
  // Looked at only where it may be a new peak: it takes a division.
  if (more.queued + std::numeric_limits<std::uint16_t>::max() > more.peak) {
    const std::int64_t sending = std::max<std::int64_t>(port.free_at - now_, 0);
    more.peak = std::max(more.peak, more.queued + bytes_in(more, sending));
  }
  more.queued += size;
  if (port.free_at <= now_) {
    start_waiting(id);
  } else if (!port.armed) {
    arm(id);
  }
}

// At a switch: from link `id` to link `out`.
void LosslessFabric::forward(std::uint32_t id, std::uint32_t index, std::uint32_t out) {
  const std::uint8_t lane = parcels_[index].lane;
  const std::uint32_t came = lane_id(id, lane);
  if (!admit(came, lane_id(out, lane), parcels_[index].packet.size)) return drop(out, index);
  Parcel& parcel = parcels_[index];  // not before: admit() may need a parcel for a pause, and move all
  parcel.from = came;
  if (parcel.packet.kind == Kind::data) mark(out, lane, parcel.packet);
  enqueue(out, lane, index);
}

void LosslessFabric::drop(std::uint32_t id, std::uint32_t index) {
  ++counts_.drops;
  ++more_[id].drops;
  free_parcel(index);
}

void LosslessFabric::mark(std::uint32_t id, std::uint8_t lane, Packet& packet) {
  const std::int64_t waiting = queues_[lane_id(id, lane)].bytes + packet.size;
  const PortMore& port = more_[id];
  if (waiting <= port.mark_min || (packet.flags & kCongested) != 0) return;
  if (waiting <= port.mark_max) {
    const double share =
        static_cast<double>(waiting - port.mark_min) / static_cast<double>(port.mark_max - port.mark_min);
    if (coins_.unit() >= share * mark_probability_) return;
  }
  packet.flags |= kCongested;
  ++counts_.marks;
  ++more_[id].marks;
}

void LosslessFabric::block(std::uint32_t id, std::uint8_t lane) {
  Port& port = ports_[id];
  if ((port.blocked >> lane & 1) != 0) return;
  port.blocked = static_cast<std::uint8_t>(port.blocked | 1U << lane);
  queues_[lane_id(id, lane)].blocked_since = now_;
  ++more_[id].pauses;
}

void LosslessFabric::unblock(std::uint32_t id, std::uint8_t lane) {
  Port& port = ports_[id];
  if ((port.blocked >> lane & 1) == 0) return;
  port.blocked = static_cast<std::uint8_t>(port.blocked & ~(1U << lane));
  more_[id].paused += now_ - queues_[lane_id(id, lane)].blocked_since;
}

std::int64_t LosslessFabric::paused(std::uint32_t link) const {
  std::int64_t total = more_[link].paused;
  for (std::uint8_t lane = 0; lane < lanes_; ++lane) {
    if ((ports_[link].blocked >> lane & 1) != 0) total += now_ - queues_[lane_id(link, lane)].blocked_since;
  }
  return total;
}

std::size_t LosslessFabric::memory() const {
  return ports_.size() * (sizeof(Port) + sizeof(PortMore)) + parcels_.capacity() * sizeof(Parcel) +
         queues_.size() * sizeof(LaneQueue) + ingress_.size() * sizeof(Ingress);
}

}  // namespace overture::network::packet
