// Two layers: every leaf has hosts below and a cable to every spine. Hosts per leaf, spines and rates are
// free, so any oversubscription can be built.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct LeafSpineConfig {
  static constexpr std::string_view kKey = "leaf_spine";
  static constexpr std::string_view kHelp = "Two layers of switches";

  int leaves = 4;
  int hosts_per_leaf = 4;
  int spines = 4;
  // Host h is on leaf h mod leaves: with as many leaves as GPUs of a node, each of them a rail.
  bool rails = false;
  // As the golden data's fat tree (golden/ns3): 100 Gb/s and 500 ns everywhere.
  Wire host{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 0};
  Wire spine{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 1};

  Topology build() const;

  template <class V>
  static void keys(V& v, LeafSpineConfig& c) {
    v.field("leaves", c.leaves, "Leaf switches");
    v.field("hosts_per_leaf", c.hosts_per_leaf, "Hosts on each leaf");
    v.field("spines", c.spines, "Spine switches; each leaf has a cable to each");
    v.field(
        "rails", c.rails,
        "Host h is on leaf h mod leaves: with nodes of as many GPUs, every leaf is a rail; otherwise hosts "
        "that follow each other share a leaf");
    describe(v, "host", c.host, "Link from host to leaf");
    describe(v, "spine", c.spine, "Link from leaf to spine");
  }
};

// The leaf of a host.
inline int leaf_of(const LeafSpineConfig& config, int host) {
  return config.rails ? host % config.leaves : host / config.hosts_per_leaf;
}

// By destination, a leaf goes up to spine `dst mod spines`.
Topology leaf_spine(const LeafSpineConfig& config);

// Host bandwidth of a leaf over its bandwidth upwards: 1 is full bisection.
double oversubscription(const LeafSpineConfig& config);
// Thins the cables to the spines so that leaves are oversubscribed by `ratio`.
LeafSpineConfig oversubscribed(LeafSpineConfig config, double ratio);

}  // namespace overture::topology
