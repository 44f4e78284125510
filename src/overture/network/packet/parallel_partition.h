// Which part of a network each thread simulates. Parts work alone for one window, the least time that
// anything takes from one part to another, and then exchange what crossed. The window is the same for any
// number of parts, so that a run ends at the same event however many there are.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/topology/graph.h"

namespace overture::network::packet {

// The window of a network, ps: the largest delay such that its nodes, those joined that are nearer, still
// fall into several groups of similar weight. 0 if no link has a delay.
std::int64_t window(const topology::Graph& graph);

struct Partition {
  int parts = 1;
  std::vector<int> of;  // part by node

  bool crosses(const topology::Link& link) const {
    return of[static_cast<std::size_t>(link.from)] != of[static_cast<std::size_t>(link.to)];
  }
};

// At most `parts` parts of similar weight, with neighbours together. Nodes nearer than the window are never
// parted.
Partition partition(const topology::Graph& graph, int parts);

}  // namespace overture::network::packet
