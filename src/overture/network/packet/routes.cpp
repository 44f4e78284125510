#include "overture/network/packet/routes.h"

#include <algorithm>
#include <bit>

#include "overture/base/random.h"

namespace overture::network::packet {

int port_bits(const topology::Graph& graph) {
  int most = 1;
  for (int node = 0; node < graph.nodes(); ++node) most = std::max(most, graph.ports(node));
  return std::bit_width(static_cast<unsigned>(most));
}

std::uint64_t route_word(const topology::Graph& graph, const topology::Routing& routing, int at, int to,
                         const topology::Pick& pick, int bits) {
  std::uint64_t word = 0;
  for (int shift = 0; at != to && shift + bits <= 64; shift += bits) {
    const int port = routing.port(at, to, pick);
    word |= static_cast<std::uint64_t>(port + 1) << shift;
    at = graph.link(at, port).to;
  }
  return word;
}

Routes::Routes(const topology::Topology& topology, const PacketConfig& config)
    : topology_(topology),
      rule_(config.paths),
      seed_(config.seed),
      entropies_(static_cast<std::uint32_t>(config.entropies)),
      per_packet_(spray() || (rule_ == topology::PathRule::hash_per_flow && entropies_ > 1)),
      bits_(port_bits(topology.graph)) {
  RandomStream seeds = RandomStreams(config.seed).make("ecmp");
  for (int node = 0; node < topology.graph.nodes(); ++node) streams_.push_back(seeds());
}

std::uint64_t Routes::new_flow(int from, int to) {
  if (rule_ != topology::PathRule::hash_per_flow) return 0;  // nobody asks
  const std::uint64_t pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  return topology::flow_hash(seed_, from, to, flows_[pair]++);
}

std::uint64_t Routes::packet_entropy(int from, int to) {
  const std::uint64_t drawn = draw(from);
  if (spray()) return drawn;
  return topology::flow_hash(seed_, from, to, (drawn >> 32) * entropies_ >> 32);
}

std::uint64_t Routes::packet_word(int from, int to) { return word(from, to, packet_entropy(from, to)); }

std::uint64_t Routes::word(int at, int to, std::uint64_t entropy) const {
  using topology::Pick;
  const bool by_destination = rule_ == topology::PathRule::by_destination;
  const Pick pick = by_destination ? Pick::by_destination() : Pick::by_hash(entropy);
  return route_word(topology_.graph, *topology_.routing, at, to, pick, bits_);
}

}  // namespace overture::network::packet
