// Source routes: the next ports of a packet in one word, so that a switch forwards with a shift. A word holds
// as many ports as fit (12 on a fat tree with k=16); a longer way is topped up where the word ends.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/topology/routing.h"

namespace overture::network::packet {

class Routes {
 public:
  // `topology` outlives the routes.
  Routes(const topology::Topology& topology, topology::PathRule rule, std::uint64_t seed);

  // The ports from node `at` to host `to`, as numbers from 1, lowest bits first; 0 ends the word.
  // `entropy` is the flow's or the packet's.
  std::uint64_t word(int at, int to, std::uint64_t entropy) const;

  int bits() const { return bits_; }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }
  bool spray() const { return rule_ == topology::PathRule::spray; }

  // A new number to choose a way with, for a flow or for a packet. Every node has a stream of its own, so
  // that what it draws depends on nothing that others do meanwhile.
  std::uint64_t draw(int node = 0) {
    std::uint64_t x = streams_[static_cast<std::size_t>(node)] += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;  // SplitMix64 (Steele, Lea and Flood, 2014)
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

 private:
  const topology::Topology& topology_;
  topology::PathRule rule_;
  int bits_;                            // of one port
  std::vector<std::uint64_t> streams_;  // by node
};

}  // namespace overture::network::packet
