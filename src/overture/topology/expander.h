// A static expander: ToRs joined by a random regular graph, the network that Opera makes in every slice, but
// for good (Xpander, CoNEXT 2016; the u = 7 baseline of the Opera paper). Packets take shortest paths.
#pragma once

#include <cstdint>

#include "overture/topology/routing.h"

namespace overture::topology {

struct ExpanderConfig {
  static constexpr std::string_view kKey = "expander";
  static constexpr std::string_view kHelp = "ToRs joined by a random regular graph (Xpander, CoNEXT 2016)";

  int tors = 8;  // even
  int hosts_per_tor = 4;
  int uplinks = 4;  // of a ToR, each to another ToR
  std::uint64_t seed = 1;
  int draws = 20;  // the best is kept: fewest hops at worst, then on average
  Wire host{.rate = Bandwidth::bits_per_second(100'000'000'000), .delay = {}, .tier = 0};
  Wire fabric{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 1};

  Topology build() const;

  template <class V>
  static void keys(V& v, ExpanderConfig& c) {
    v.field("tors", c.tors, "Top-of-rack switches; even");
    v.field("hosts_per_tor", c.hosts_per_tor, "Hosts on each ToR");
    v.field("uplinks", c.uplinks, "Links of a ToR to other ToRs");
    v.field("draws", c.draws, "Random graphs to draw; the one with the fewest hops is kept");
    describe(v, "host", c.host, "Link from host to ToR");
    describe(v, "fabric", c.fabric, "Link from ToR to ToR");
  }
};

// Throws UserError when no such graph exists or none that was drawn is connected.
Topology expander(const ExpanderConfig& config);

}  // namespace overture::topology
