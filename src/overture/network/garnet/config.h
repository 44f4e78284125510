// A network of routers with virtual channels and credits, as ASTRA-sim's Garnet backend has it: packets of
// flits, one cycle at a time. Plain data; formats/astra/garnet_text.h reads it from ASTRA-sim's text file,
// fabric.h wires it up.
//
// Ranks stand in three dimensions: inside a package, along a row of packages, along a column. Every queue of
// a dimension is a virtual network (vnet) of its own: on a torus its own set of rings, behind switches its
// own channels on shared links.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/topology/hierarchy.h"

namespace overture::network::garnet {

enum class Wiring : std::uint8_t { torus, switches };

// Links of one kind.
struct LinkConfig {
  int width = 128;  // bits a cycle
  int latency = 1;  // cycles
};

struct GarnetConfig {
  Wiring wiring = Wiring::torus;
  std::array<int, 3> size{1, 1, 1};  // ranks of a package, packages of a row, rows
  int local_rings = 1;               // one way round
  int horizontal_rings = 1;          // of each direction
  int vertical_rings = 1;            // of each direction
  int switches = 1;                  // every rank has a link up and a link down to each
  int flit_width = 128;              // bits
  Bytes packet{64};
  LinkConfig local;    // inside a package, and between a rank and its router
  LinkConfig package;  // between packages, and to the switches; a rank's own links are as wide as a flit
  int vcs = 4;         // virtual channels of a vnet at every port
  int router_latency = 1;
  std::vector<int> buffers;  // flits of a virtual channel, by vnet

  int ranks() const { return size[0] * size[1] * size[2]; }
  // Does also what Garnet does by accident: equal credits leave in the order of its heap, and what is due in
  // a cycle runs last come, first served. Without it equal credits leave first in, first out.
  bool original_order = false;

  int vnets() const;
  int flits_per_packet() const;
  std::int64_t packets(Bytes message) const;
  // How many cycles a flit keeps a link busy; 1 where the link is as wide as a flit or wider.
  int parts(const LinkConfig& link) const;
};

// The queues of a dimension, which are its vnets.
struct DimensionVnets {
  int first = 0;
  int count = 0;
};
DimensionVnets vnets_of(const GarnetConfig& config, int dimension);

// The rank that a ring of `vnet` leads to from `rank`. Not for vnets that go through switches.
int next_rank(const GarnetConfig& config, int rank, int vnet);

constexpr Duration kCycle = Nanoseconds{1};

}  // namespace overture::network::garnet
