#include "overture/network/packet/engine.h"

#include <algorithm>

namespace overture::network::packet {
namespace {

const PacketConfig& sound(const PacketConfig& config) {
  require_sound(config);
  return config;
}

// The one place that knows all transports.
std::variant<Tcp, Ndp> make_transport(const topology::Topology& topology, const PacketConfig& config,
                                      Fabric& fabric, Pause pause) {
  if (config.transport == TransportKind::ndp) return Ndp(config.ndp, topology, fabric, pause);
  return Tcp(config.tcp, fabric, pause);
}

}  // namespace

Engine::Engine(const topology::Topology& topology, const PacketConfig& config, Pause pause)
    : fabric_(topology, sound(config)), transport_(make_transport(topology, config, fabric_, pause)) {}

void Engine::reserve(std::size_t connections) {
  std::visit([&](auto& transport) { transport.reserve(connections); }, transport_);
}

std::uint32_t Engine::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  return std::visit([&](auto& transport) { return transport.post(from, to, bytes, when); }, transport_);
}

void Engine::run(std::int64_t limit) {
  std::visit(
      [&](auto& transport) {
        transport.resume();
        fabric_.run(transport, limit);
      },
      transport_);
}

std::uint64_t Engine::outstanding() const {
  return std::visit([](const auto& transport) { return transport.outstanding(); }, transport_);
}

std::vector<Completion>& Engine::completions() {
  return std::visit([](auto& transport) -> std::vector<Completion>& { return transport.completions(); },
                    transport_);
}

Statistics Engine::statistics() const {
  const FabricCounts& fabric = fabric_.counts();
  Statistics result{.packet_hops = fabric.hops,
                    .drops = fabric.drops,
                    .marks = fabric.marks,
                    .trims = fabric.trims,
                    .fabric_memory = fabric_.memory()};
  std::visit(
      [&](const auto& transport) {
        const TransportCounts& counts = transport.counts();
        result.data_packets = counts.data_packets;
        result.retransmissions = counts.retransmissions;
        result.timeouts = counts.timeouts;
        result.fast_recoveries = counts.recoveries;
        result.duplicates = counts.duplicates;
        result.delivered = Bytes{static_cast<std::int64_t>(counts.payload_bytes)};
        result.flow_memory = transport.memory();
        result.connections = transport.flows();
      },
      transport_);
  return result;
}

std::vector<LinkRecord> Engine::links() const {
  std::vector<LinkRecord> records;
  for (std::size_t id = 0; id < fabric_.links().size(); ++id) {
    const Link& link = fabric_.links()[id];
    const LinkMore& more = fabric_.more()[id];
    const Bytes carried{static_cast<std::int64_t>(link.bytes)};
    records.push_back({.carried = carried,
                       .busy = transfer_time(carried, Bandwidth::bits_per_second(more.bits_per_second)),
                       .peak_queue = Bytes{bytes_in(more, more.peak)},
                       .drops = more.drops,
                       .marks = more.marks,
                       .trims = fabric_.waiting().empty() ? 0 : fabric_.waiting()[id].trims});
  }
  return records;
}

void Engine::observe(std::int64_t when, std::vector<LinkState>& links) const {
  links.resize(fabric_.links().size());
  for (std::size_t id = 0; id < links.size(); ++id) {
    const Link& link = fabric_.links()[id];
    const std::int64_t leaving = bytes_in(fabric_.more()[id], std::max<std::int64_t>(link.free_at - when, 0));
    const std::int64_t held = fabric_.waiting().empty() ? 0 : fabric_.waiting()[id].bytes;
    links[id] = {.sent = Bytes{static_cast<std::int64_t>(link.bytes) - leaving},
                 .queued = Bytes{leaving + held}};
  }
}

}  // namespace overture::network::packet
