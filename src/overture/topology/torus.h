// A torus of any number of dimensions. Each host has a router of its own; routers are joined in rings along
// every dimension. Host ids are mixed-radix numbers, dimension 0 fastest, as in Hierarchy.
#pragma once

#include <vector>

#include "overture/topology/routing.h"

namespace overture::topology {

struct TorusConfig {
  static constexpr std::string_view kKey = "torus";
  static constexpr std::string_view kHelp = "Rings along every dimension";

  std::vector<int> sizes{4, 4};
  std::vector<int> rings{};  // side by side along each dimension; empty: one
  // One cable each way along every dimension; the study of tori in the ASTRA-sim tutorial has 25 GB/s and 100
  // ns.
  Wire ring{
      .rate = Bandwidth::bits_per_second(200'000'000'000), .delay = std::chrono::nanoseconds(100), .tier = 1};
  // From the host into its router: fast enough not to be seen.
  Wire local{.rate = Bandwidth::bits_per_second(8'000'000'000'000), .delay = Duration::zero(), .tier = 0};

  Topology build() const;

  template <class V>
  static void keys(V& v, TorusConfig& c) {
    v.integers("sizes", c.sizes, "Hosts along each dimension; 4 and 4 if left out");
    v.integers("rings", c.rings,
               "Rings side by side along each dimension; one each if left out. With "
               "paths: spray two hosts use all of them, otherwise one");
    describe(v, "ring", c.ring, "Link from neighbour to neighbour");
    describe(v, "local", c.local, "Link from a host to its own router");
  }
};

// Dimension order: dimension 0 first, along the shorter way round; half way round, the pick decides (by
// destination: upwards). The pick decides among rings side by side, too (by destination: its number, modulo
// the rings).
Topology torus(const TorusConfig& config);

}  // namespace overture::topology
