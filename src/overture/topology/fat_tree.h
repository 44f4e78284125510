// The k-ary fat tree of Al-Fares et al. (SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
// (k/2)^2 cores. Full bisection with k/2 hosts an edge and equal rates; more hosts an edge or thinner upper
// tiers oversubscribe it.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct FatTreeConfig {
  static constexpr std::string_view kKey = "fat_tree";
  static constexpr std::string_view kHelp = "The k-ary fat tree: k^3/4 hosts";

  int k = 4;               // even: ports of a switch, and pods
  int hosts_per_edge = 0;  // 0 means k/2
  // The golden data's wires (golden/ns3): 100 Gb/s and 500 ns everywhere.
  Wire host{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 0};
  Wire aggregation{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 1};
  Wire core{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 2};

  Topology build() const;

  template <class V>
  static void keys(V& v, FatTreeConfig& c) {
    v.field("k", c.k, "Ports of a switch, and pods; even");
    v.field("hosts_per_edge", c.hosts_per_edge, "Hosts on each edge switch; 0 means k/2");
    describe(v, "host", c.host, "Link from host to edge switch");
    describe(v, "aggregation", c.aggregation, "Link from edge to aggregation switch");
    describe(v, "core", c.core, "Link from aggregation to core switch");
  }
};

// By destination, an edge goes up to aggregation `dst mod k/2` of its pod, that one to its core number
// `(dst / (k/2)) mod k/2`; what is below a switch never goes up.
Topology fat_tree(const FatTreeConfig& config);

// Host bandwidth over the bandwidth of the thinnest tier above: 1 is full bisection.
double oversubscription(const FatTreeConfig& config);
// Thins the aggregation and core wires so that the edge is oversubscribed by `ratio`.
FatTreeConfig oversubscribed(FatTreeConfig config, double ratio);

}  // namespace overture::topology
