// Routing around links that are down: along the shortest paths that are left, with all equal ones known.
// Distances are found for a destination when it is first asked for, so that a network of which little fails
// costs little.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overture/topology/routing.h"

namespace overture::topology {

class LiveRouting final : public Routing {
 public:
  // `graph` outlives the routing; `down` says so of every link. Hosts do not forward.
  LiveRouting(const Graph& graph, std::vector<bool> down);

  bool is_down(int link) const { return down_[static_cast<std::size_t>(link)]; }
  // Is any link down?
  bool any_down() const { return any_down_; }
  // Is a path left from a node to a host?
  bool reaches(int from, int to) const;
  // Only where one is left. By destination, equal ones are taken as `to mod their number`.
  int port(int at, int to, const Pick& pick) const override;
  // All ports that lead on, ascending.
  std::vector<int> equal_ports(int at, int to) const;

 private:
  using Distances = std::vector<std::int32_t>;  // by node; -1: none

  const Distances& distances_to(int host) const;
  bool leads_on(int link, int to, const Distances& distance) const;

  const Graph* graph_;
  std::vector<bool> down_;
  bool any_down_;
  std::vector<std::vector<int>> into_;                // by node: links that end there and work
  mutable std::unordered_map<int, Distances> known_;  // by host; looked up, never iterated
};

}  // namespace overture::topology
