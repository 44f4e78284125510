// Source routes: the next ports of a packet in one word, so that a switch forwards with a shift. A word holds
// as many ports as fit (12 on a fat tree with k=16); a longer way is topped up where the word ends.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overture/base/hash.h"
#include "overture/network/packet/config.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

// Bits that a port takes in a word.
int port_bits(const topology::Graph& graph);
// The ports from node `at` to host `to`, as numbers from 1, lowest bits first; 0 ends the word.
std::uint64_t route_word(const topology::Graph& graph, const topology::Routing& routing, int at, int to,
                         const topology::Pick& pick, int bits);

class Routes {
 public:
  // `topology` outlives the routes.
  Routes(const topology::Topology& topology, const PacketConfig& config);

  // The ports from node `at` to host `to`, as numbers from 1, lowest bits first; 0 ends the word.
  // `entropy` is the flow's or the packet's.
  std::uint64_t word(int at, int to, std::uint64_t entropy) const;

  // The same from host to host, for a packet that chooses its own way.
  std::uint64_t packet_word(int from, int to);

  int bits() const { return bits_; }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }
  bool spray() const { return rule_ == topology::PathRule::spray; }
  std::uint32_t entropies() const { return entropies_; }
  // Does every packet choose its own way? If not, a flow keeps one.
  bool per_packet() const { return per_packet_; }

  // What a flow's way is chosen with: a hash, and another one for the next flow between the same hosts.
  std::uint64_t new_flow(int from, int to);
  // The same where there is only one.
  std::uint64_t only_flow(int from, int to) const { return topology::flow_hash(seed_, from, to); }
  // What a packet's way is chosen with: a number that `from` draws, or one of the flow's entropies.
  std::uint64_t packet_entropy(int from, int to);

  // A new number to choose a way with. Every node has a stream of its own, so that what it draws depends on
  // nothing that others do meanwhile.
  std::uint64_t draw(int node = 0) {
    return split_mix(streams_[static_cast<std::size_t>(node)] += kGoldenStep);
  }

 private:
  const topology::Topology& topology_;
  topology::PathRule rule_;
  std::uint64_t seed_;
  std::uint32_t entropies_;  // of a flow
  bool per_packet_;
  int bits_;                                                // of one port
  std::vector<std::uint64_t> streams_;                      // by node
  std::unordered_map<std::uint64_t, std::uint32_t> flows_;  // so far, by their two ends
};

}  // namespace overture::network::packet
