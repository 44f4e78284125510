// Nodes wired to one another without switches, as TopoOpt does for training (NSDI 2023): each of a node's
// fibres is a step of one ring through all nodes, i to i + jump. Ring all-reduces run along the rings, one
// hop a step; other traffic is forwarded by the nodes along shortest paths.
#pragma once

#include <vector>

#include "overture/topology/routing.h"

namespace overture::topology {

struct DirectConnectConfig {
  static constexpr std::string_view kKey = "direct_connect";
  static constexpr std::string_view kHelp =
      "Nodes wired to one another in rings, without switches (TopoOpt, NSDI 2023)";

  int nodes = 16;
  int degree = 4;          // fibres that leave a node, and that reach it
  std::vector<int> jumps;  // one per fibre; empty: spread from 1 to nodes (direct_connect_jumps)
  Wire fibre{
      .rate = Bandwidth::bits_per_second(100'000'000'000), .delay = std::chrono::microseconds(1), .tier = 1};

  Topology build() const;

  template <class V>
  static void keys(V& v, DirectConnectConfig& c) {
    v.from("TopoOpt as in the Opera DLRM study: four fibres a node");
    v.field("nodes", c.nodes, "Hosts that also forward");
    v.field("degree", c.degree, "Fibres that leave a node; each is a step of one ring");
    v.integers("jumps", c.jumps, "Fibre f of node i leads to node i + jumps[f]; spread out if left out");
    describe(v, "fibre", c.fibre, "Link from node to node");
  }
};

// Numbers without a common divisor with `nodes`, so that each makes a ring through all, spread geometrically
// so that paths are short. Throws UserError when there are not enough.
std::vector<int> direct_connect_jumps(int nodes, int degree);

// A node is a host and the forwarding part of its NIC, a switch; the link between them carries all fibres at
// once. Switch i of the graph belongs to host i.
Topology direct_connect(const DirectConnectConfig& config);

// The nodes in the order of each fibre's ring, from node 0.
std::vector<std::vector<int>> direct_connect_rings(const DirectConnectConfig& config);

}  // namespace overture::topology
