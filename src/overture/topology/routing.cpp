#include "overture/topology/routing.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::topology {

std::vector<int> equal_ports(const Topology& topology, int at, int to, std::size_t patience) {
  std::vector<int> found;
  std::size_t in_vain = 0;
  for (std::uint64_t entropy = 1; in_vain < patience * (found.size() + 1); ++entropy) {
    const int port = topology.routing->port(at, to, Pick::by_hash(entropy));
    if (std::ranges::find(found, port) != found.end()) {
      ++in_vain;
    } else {
      found.push_back(port);
      in_vain = 0;
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<int> path(const Topology& topology, int from, int to, const Pick& pick) {
  const Graph& graph = topology.graph;
  std::vector<int> links;
  for (int at = from; at != to;) {
    const int port = topology.routing->port(at, to, pick);
    check(port >= 0 && port < graph.ports(at), "routing names a port that exists");
    links.push_back(graph.first_link(at) + port);
    at = graph.links()[links.back()].to;
    check(static_cast<int>(links.size()) <= graph.nodes(), "a path visits no node twice");
  }
  return links;
}

}  // namespace overture::topology
