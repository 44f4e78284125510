// A hierarchy (hierarchy.h) as links: the same rings, full meshes and switches that the analytical network
// knows by formula, for networks that play links. Every rank has a router; a packet corrects one coordinate
// after the other, dimension 0 first.
#pragma once

#include <vector>

#include "overture/topology/hierarchy.h"
#include "overture/topology/routing.h"

namespace overture::topology {

struct HierarchyGraphConfig {
  struct Dimension {
    DimensionKind kind = DimensionKind::ring;
    int size = 1;
    // One way: to a neighbour of a ring, to a peer of a full mesh, to or from the switch.
    Wire wire{.rate = Bandwidth::bits_per_second(200'000'000'000), .delay = std::chrono::nanoseconds(100)};
  };
  std::vector<Dimension> dimensions;
  // From a rank into its router: fast enough not to be seen.
  Wire local{.rate = Bandwidth::bits_per_second(8'000'000'000'000), .delay = Duration::zero()};

  Topology build() const;
};

Hierarchy hierarchy(const HierarchyGraphConfig& config);

// Hosts are the ranks. Switches of the graph are the ranks' routers, in order, then the switches of
// dimension 0 by group, then those of the next. Half way round a ring the pick decides (by destination:
// upwards). Throws UserError when it cannot be built.
Topology hierarchy_graph(const HierarchyGraphConfig& config);

}  // namespace overture::topology
