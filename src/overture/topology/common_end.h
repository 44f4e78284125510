// Hosts that packets reach by the same ways, so that one set of ways serves them all.
#pragma once

#include <algorithm>

#include "overture/topology/graph.h"

namespace overture::topology {

// What stands for `host` where equal ways to it are looked up: its only switch, for all hosts there come by
// the same ways; or the host itself if it has several ports, or if its switch is inside a machine with
// several NICs, each of which serves some of the hosts.
inline int common_end(const Graph& graph, int host) {
  if (graph.ports(host) != 1) return host;
  const int node = graph.link(host, 0).to;
  if (!graph.is_inside_machine(node)) return node;
  const auto nics =
      std::ranges::count_if(graph.links_of(node), [&](const Link& link) { return !graph.is_host(link.to); });
  return nics > 1 ? host : node;
}

}  // namespace overture::topology
