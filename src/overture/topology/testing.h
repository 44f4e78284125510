// For the tests of this folder: random networks, and distances found the slow and obvious way.
#pragma once

#include <vector>

#include "overture/base/random.h"
#include "overture/topology/graph.h"

namespace overture::topology {

inline constexpr int kFar = 1'000'000;

// Hops from every node to every other one, by the algorithm of Floyd and Warshall: three nested loops. Hosts
// do not forward. Links that are down, if any are named, do not count.
inline std::vector<std::vector<int>> all_distances(const Graph& graph, const std::vector<bool>& down = {}) {
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  std::vector hops(nodes, std::vector<int>(nodes, kFar));
  for (std::size_t node = 0; node < nodes; ++node) hops[node][node] = 0;
  for (std::size_t i = 0; i < graph.links().size(); ++i) {
    const Link& link = graph.links()[i];
    if (down.empty() || !down[i])
      hops[static_cast<std::size_t>(link.from)][static_cast<std::size_t>(link.to)] = 1;
  }
  for (auto by = static_cast<std::size_t>(graph.hosts()); by < nodes; ++by) {
    for (std::size_t from = 0; from < nodes; ++from) {
      for (std::size_t to = 0; to < nodes; ++to)
        hops[from][to] = std::min(hops[from][to], hops[from][by] + hops[by][to]);
    }
  }
  return hops;
}

// The ports of `at` from which `to` is one hop nearer.
inline std::vector<int> nearer_ports(const Graph& graph, const std::vector<std::vector<int>>& hops, int at,
                                     int to, const std::vector<bool>& down = {}) {
  std::vector<int> ports;
  for (int port = 0; port < graph.ports(at); ++port) {
    if (!down.empty() && down[static_cast<std::size_t>(graph.first_link(at) + port)]) continue;
    const int next = graph.link(at, port).to;
    if (graph.is_host(next) && next != to) continue;
    const int left = hops[static_cast<std::size_t>(next)][static_cast<std::size_t>(to)];
    if (left + 1 == hops[static_cast<std::size_t>(at)][static_cast<std::size_t>(to)]) ports.push_back(port);
  }
  return ports;
}

// A tree of switches with some cables more, some of them side by side, and hosts on one or two switches each.
inline Graph draw_network(RandomStream& random) {
  const auto below = [&](int bound) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(bound)));
  };
  const int hosts = 2 + below(6);
  const int switches = 1 + below(8);
  const Wire wire{.rate = Bandwidth::bits_per_second(1'000'000'000), .delay = {}, .tier = 0};
  std::vector<Link> links;
  for (int i = 1; i < switches; ++i) connect(links, hosts + i, hosts + below(i), wire);
  for (int extra = below(8); extra > 0; --extra) {
    const int a = below(switches);
    const int b = below(switches);
    if (a != b) connect(links, hosts + a, hosts + b, wire);
  }
  for (int host = 0; host < hosts; ++host) {
    for (int cables = 1 + below(2); cables > 0; --cables) connect(links, host, hosts + below(switches), wire);
  }
  return {hosts, switches, std::move(links), {"link"}};
}

}  // namespace overture::topology
