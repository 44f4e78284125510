// Every host on one switch.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct StarConfig {
  int hosts = 2;
  // The golden data's wire (golden/ns3): 100 Gb/s, 500 ns.
  Wire wire{.rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500)};
};

Topology star(const StarConfig& config);

}  // namespace overture::topology
