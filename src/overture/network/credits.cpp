#include "overture/network/credits.h"

#include <utility>

#include "overture/base/error.h"
#include "overture/network/garnet/credit_network.h"

namespace overture::network {

bool has_credits(const PacketNetworkConfig& config) {
  return config.packets.transport == packet::kTransport<packet::PlainConfig> &&
         config.packets.lossless.control == packet::LinkControl::credits;
}

std::unique_ptr<Network> make_credit_network(const PacketNetworkConfig& config, sim::EventQueue& events) {
  const packet::PacketConfig& packets = config.packets;
  require_sound(packets);
  if (!config.faults.links.empty() || !config.faults.switches.empty()) {
    throw UserError({.key = "faults"}, "links with credits do not fail yet",
                    "use network.lossless.control: pfc, or leave faults out");
  }
  const packet::CreditConfig& credits = packets.lossless.credits;
  topology::Topology topology = make_topology(config.topology);
  constexpr std::size_t kBytesOfChannel = 64;  // its buffer, its credits and what the engine notes of it
  const std::size_t links = topology.graph.links().size();
  packet::require_memory(links, links * 2 * static_cast<std::size_t>(credits.channels) * kBytesOfChannel);
  const garnet::CreditNetworkConfig wanted{.flit = credits.flit,
                                           .buffer_flits = credits.buffer_flits,
                                           .channels = credits.channels,
                                           .router_delay = credits.router_delay,
                                           .payload = packets.of<packet::PlainConfig>().payload,
                                           .header = packets.of<packet::PlainConfig>().header,
                                           .paths = packets.paths,
                                           .seed = packets.seed};
  return std::make_unique<garnet::CreditNetwork>(std::move(topology), wanted, events);
}

}  // namespace overture::network
