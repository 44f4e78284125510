#include "overture/network/packet/engine.h"

namespace overture::network::packet {
namespace {

const PacketConfig& sound(const PacketConfig& config) {
  require_sound(config);
  return config;
}

}  // namespace

Engine::Engine(const topology::Topology& topology, const PacketConfig& config, Tcp::Pause pause)
    : fabric_(topology, sound(config)), tcp_(config.tcp, fabric_, pause) {}

std::uint32_t Engine::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  return tcp_.post(from, to, bytes, when);
}

void Engine::run(std::int64_t limit) {
  tcp_.resume();
  fabric_.run(tcp_, limit);
}

Statistics Engine::statistics() const {
  const FabricCounts& fabric = fabric_.counts();
  const TransportCounts& tcp = tcp_.counts();
  return {.packet_hops = fabric.hops,
          .data_packets = tcp.data_packets,
          .drops = fabric.drops,
          .marks = fabric.marks,
          .retransmissions = tcp.retransmissions,
          .timeouts = tcp.timeouts,
          .fast_recoveries = tcp.recoveries,
          .duplicates = tcp.duplicates,
          .delivered = Bytes{static_cast<std::int64_t>(tcp.payload_bytes)},
          .flow_memory = tcp_.memory(),
          .fabric_memory = fabric_.memory(),
          .connections = tcp_.flows()};
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
                       .marks = more.marks});
  }
  return records;
}

}  // namespace overture::network::packet
