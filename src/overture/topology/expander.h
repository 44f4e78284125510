// A static expander: ToRs joined by a random regular graph, the network that Opera makes in every slice, but
// for good (Xpander, CoNEXT 2016; the u = 7 baseline of the Opera paper). Packets take shortest paths.
#pragma once

#include <cstdint>

#include "overture/topology/routing.h"

namespace overture::topology {

struct ExpanderConfig {
  int tors = 8;  // even
  int hosts_per_tor = 4;
  int uplinks = 4;  // of a ToR, each to another ToR
  std::uint64_t seed = 1;
  int draws = 20;  // the best is kept: fewest hops at worst, then on average
  Wire host{.rate = Bandwidth::bits_per_second(100'000'000'000), .delay = {}, .tier = 0};
  Wire fabric{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500), .tier = 1};
};

// Throws UserError when no such graph exists or none that was drawn is connected.
Topology expander(const ExpanderConfig& config);

}  // namespace overture::topology
