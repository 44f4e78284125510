#include "overture/network/packet/fabric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace overture::network::packet {
namespace {

constexpr std::uint32_t kFirstRing = 8;  // packets; grows with use

struct CalendarShape {
  int shift;
  int bits;
  std::int64_t longest;
};

// Buckets so narrow that a busy network has a few arrivals in each, and so many that a packet on an idle link
// of usual length falls into one.
CalendarShape calendar_shape(const topology::Graph& graph, std::int64_t packet, int parts) {
  constexpr double kPerBucket = 4;
  constexpr int kMaxBits = 14;
  double per_ps = 0;
  double reach = 1;
  double longest = 1;
  for (const topology::Link& link : graph.links()) {
    const double sending =
        static_cast<double>(packet * kBitPs) / static_cast<double>(link.wire.rate.bits_per_second());
    per_ps += 1 / sending;
    const double delay = static_cast<double>(link.wire.delay.count());
    reach = std::max(reach, delay + sending);
    constexpr double kLargest = std::numeric_limits<std::uint16_t>::max();
    longest = std::max(longest, delay + kLargest / static_cast<double>(packet) * sending + 1);
  }
  const int shift = std::clamp(static_cast<int>(std::log2(kPerBucket / per_ps * parts)), 0, 40);
  const int bits = static_cast<int>(std::ceil(std::log2(reach))) - shift + 1;
  return {
      .shift = shift, .bits = std::clamp(bits, 6, kMaxBits), .longest = static_cast<std::int64_t>(longest)};
}

// Are most wires shorter than a packet?
bool has_short_wires(const topology::Graph& graph, const PacketConfig& config) {
  const auto is_short = [&](const topology::Link& link) {
    return transfer_time(config.of<TcpConfig>().segment + config.of<TcpConfig>().header, link.wire.rate) >
           link.wire.delay;
  };
  return 2 * std::ranges::count_if(graph.links(), is_short) > std::ssize(graph.links());
}

// Where packets are lost all the time, it matters which of two that come at once is. Elsewhere the full order
// moves little but ACKs, and costs a sixth of the time. No receiver's window bounds what htsim's DCTCP sends,
// so that larger ports overflow, too.
bool has_small_ports(const PacketConfig& config) {
  const Bytes small{counts_sending(config) ? std::int64_t{64} << 20 : std::int64_t{1} << 20};
  return config.queue.port_limit && *config.queue.port_limit < small;
}

// Runs before anything is allocated.
const topology::Topology& with_room_for_links(const topology::Topology& topology) {
  const std::size_t links = topology.graph.links().size();
  const std::size_t bytes = links * (sizeof(FabricLink) + sizeof(LinkMore) + kFirstRing * sizeof(Packet));
  require_memory(links, bytes);
  return topology;
}

Calendar make_calendar(const topology::Graph& graph, const PacketConfig& config, int parts) {
  const bool trims = trimmed_packet(config).has_value();
  const Bytes packet = trims ? largest_packet(config) : config.of<TcpConfig>().largest_packet();
  const CalendarShape shape = calendar_shape(graph, packet.count(), parts);
  const auto links = static_cast<std::uint32_t>(graph.links().size());
  const std::uint32_t nodes = trims ? 2 * links + static_cast<std::uint32_t>(graph.hosts()) : links;
  return {nodes, shape.shift, shape.bits, shape.longest};
}

}  // namespace

Fabric::Fabric(const topology::Topology& topology, const PacketConfig& config, const Partition& partition,
               int part)
    : links_(with_room_for_links(topology).graph.links().size()),
      calendar_(make_calendar(topology.graph, config, partition.parts)),
      more_(links_.size()),
      partition_(partition),
      part_(part),
      coins_(RandomStreams(config.seed).make("trim")),
      mark_at_(config.queue.mark_at),
      routes_(topology, config) {
  const topology::Graph& graph = topology.graph;
  port_mask_ = routes_.mask();
  if (counts_sending(config)) counted_sending_ = largest_packet(config).count();
  by_history_ = partition.parts == 1 && !trimmed_packet(config) && has_small_ports(config);
  if (by_history_) {
    calendar_.keep_orders();
  } else if (has_short_wires(graph, config)) {
    calendar_.rank_backwards();
  }
  for (int node = 0; node < graph.nodes(); ++node) {
    first_link_.push_back(static_cast<std::uint32_t>(graph.first_link(node)));
  }
  for (std::uint32_t id = 0; id < links_.size(); ++id) {
    const topology::Link& link = graph.links()[id];
    build_link(id, link, graph.is_inside_machine(link.from) ? QueueConfig{} : config.queue);
  }
  if (config.queue.shared_limit) {
    for (int node = graph.hosts(); node < graph.nodes(); ++node) {
      if (graph.is_inside_machine(node)) continue;
      pools_.push_back({.limit = config.queue.shared_limit->count(),
                        .first_link = first_link_[static_cast<std::size_t>(node)],
                        .links = static_cast<std::uint32_t>(graph.ports(node)),
                        .alpha = config.queue.dynamic_alpha.value_or(0)});
    }
    share_buffers();
  }
  if (const std::optional<Bytes> header = trimmed_packet(config)) {
    header_ = static_cast<std::uint16_t>(header->count());
    build_trimming(graph, config.queue.trim);
  }
}

void Fabric::build_link(std::uint32_t id, const topology::Link& from, const QueueConfig& queue) {
  FabricLink& link = links_[id];
  LinkMore& more = more_[id];
  const std::int64_t rate = from.wire.rate.bits_per_second();
  more.bits_per_second = rate;
  if (kBitPs % rate == 0 && kBitPs / rate <= std::numeric_limits<std::uint32_t>::max())
    link.ps_per_byte = static_cast<std::uint32_t>(kBitPs / rate);
  link.delay = from.wire.delay.count();
  link.to = is_here(from.from) && !is_here(from.to) ? ~from.to : from.to;
  link.next_port = first_link_[static_cast<std::size_t>(from.to)] - 1;
  if (is_here(from.from) || is_here(from.to)) allocate_ring(id);
  if (queue.port_limit) more.limit = queue.port_limit->count();
  if (queue.mark_above) more.mark_above = transfer_time(*queue.mark_above, from.wire.rate).count();
}

void Fabric::allocate_ring(std::uint32_t id) {
  more_[id].storage = std::make_unique<Packet[]>(kFirstRing);
  links_[id].ring = more_[id].storage.get();
  links_[id].mask = kFirstRing - 1;
}

void Fabric::take_over(std::uint32_t id, const Packet& packet) {
  FabricLink& link = links_[id];
  LinkMore& more = more_[id];
  if (link.tail - link.head > link.mask) grow(id);
  if (link.empty()) announce(id, link, packet, more.last_arrival);
  more.last_arrival = packet.arrival;
  link.at(link.tail++) = packet;
}

std::int64_t Fabric::travel_time(int from, int to, std::uint64_t route, std::int64_t size) const {
  std::int64_t time = 0;
  std::uint32_t before = first_link_[static_cast<std::size_t>(from)] - 1;
  for (int at = from; at != to; route >>= routes_.bits()) {
    if (route == 0) [[unlikely]]
      route = routes_.word(at, to, 0);  // a long way: any of its ends will do
    const std::uint32_t id = before + static_cast<std::uint32_t>(route & port_mask_);
    const FabricLink& link = links_[id];
    time += link.delay + serialisation(link, more_[id], size);
    at = link.to ^ (link.to >> 31);  // of a link that ends in another part, too
    before = link.next_port;
  }
  return time;
}

void Fabric::share_buffers() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    for (std::uint32_t i = 0; i < pools_[pool].links; ++i) {
      const std::uint32_t id = pools_[pool].first_link + i;
      more_[id].pool = pool;
      links_[id].attention = -1;  // every packet is counted
    }
  }
}

std::size_t Fabric::memory() const {
  std::size_t bytes = links_.size() * (sizeof(FabricLink) + sizeof(LinkMore));
  for (const FabricLink& link : links_) bytes += (link.mask + 1) * sizeof(Packet);
  for (std::uint32_t id = 0; id < links_.size(); ++id)
    bytes += more_[id].orders ? (links_[id].mask + 1) * sizeof(std::uint64_t) : 0;
  for (const WaitingData& waiting : waiting_)
    bytes += sizeof(WaitingData) + (waiting.mask + 1) * sizeof(Packet);
  return bytes;
}

}  // namespace overture::network::packet
