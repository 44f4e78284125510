// Every host on one switch.
#pragma once

#include "overture/topology/routing.h"

namespace overture::topology {

struct StarConfig {
  static constexpr std::string_view kKey = "star";
  static constexpr std::string_view kHelp = "Every host on one switch";

  int hosts = 2;
  // The golden data's wire (golden/ns3): 100 Gb/s, 500 ns.
  Wire wire{.rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::nanoseconds(500)};

  Topology build() const;

  template <class V>
  static void keys(V& v, StarConfig& c) {
    v.field("hosts", c.hosts, "Hosts");
    describe(v, "wire", c.wire, "Link from host to switch");
  }
};

Topology star(const StarConfig& config);

}  // namespace overture::topology
