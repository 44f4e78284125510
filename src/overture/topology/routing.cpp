#include "overture/topology/routing.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::topology {

std::vector<int> equal_ports(const Topology& topology, int at, int to) {
  std::vector<int> ports;
  Choices choices;
  do {
    ports.push_back(topology.routing->port(at, to, Pick::by_choice(choices)));
  } while (choices.advance());
  std::ranges::sort(ports);
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  return ports;
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
