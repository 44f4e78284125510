#include "overture/topology/shortest_path.h"

#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

constexpr std::int64_t kMaxEntries = std::int64_t{1} << 28;  // 1 GiB of table
constexpr int kUnreached = std::numeric_limits<int>::max();

}  // namespace

ShortestPathRouting::ShortestPathRouting(const Graph& graph) : hosts_(graph.hosts()) {
  const std::int64_t entries = std::int64_t{graph.nodes()} * hosts_;
  if (entries > kMaxEntries) {
    throw UserError(
        fmt::format("routes for {} nodes and {} hosts do not fit in memory", graph.nodes(), hosts_));
  }
  for (int node = 0; node < graph.nodes(); ++node) {
    if (graph.ports(node) > std::numeric_limits<std::uint16_t>::max()) {
      throw UserError(fmt::format("node {} has more than 65535 links", node));
    }
  }
  std::vector<std::vector<int>> into(static_cast<std::size_t>(graph.nodes()));
  for (const Link& link : graph.links()) into[static_cast<std::size_t>(link.to)].push_back(link.from);
  std::vector<std::vector<int>> distances;
  for (int host = 0; host < hosts_; ++host) distances.push_back(distances_to(graph, host, into));
  for (int node = 0; node < graph.nodes(); ++node) {
    for (int host = 0; host < hosts_; ++host) {
      first_.push_back(static_cast<std::uint32_t>(ports_.size()));
      const std::vector<int>& distance = distances[static_cast<std::size_t>(host)];
      for (int port = 0; port < graph.ports(node); ++port) {
        const int next = graph.link(node, port).to;
        const bool usable = next == host || !graph.is_host(next);
        if (usable && distance[next] != kUnreached && distance[next] + 1 == distance[node]) {
          ports_.push_back(static_cast<std::uint16_t>(port));
        }
      }
    }
  }
  first_.push_back(static_cast<std::uint32_t>(ports_.size()));
}

std::vector<int> ShortestPathRouting::distances_to(const Graph& graph, int host,
                                                   const std::vector<std::vector<int>>& into) const {
  std::vector<int> distance(static_cast<std::size_t>(graph.nodes()), kUnreached);
  std::vector<int> queue{host};
  distance[host] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int node = queue[i];
    if (graph.is_host(node) && node != host) continue;
    for (const int before : into[node]) {
      if (distance[before] != kUnreached) continue;
      distance[before] = distance[node] + 1;
      queue.push_back(before);
    }
  }
  for (int other = 0; other < hosts_; ++other) {
    if (distance[other] == kUnreached) {
      throw UserError(fmt::format(
          "the network is disconnected: host {} reaches host {} only through other hosts", other, host));
    }
  }
  return distance;
}

int ShortestPathRouting::port(int at, int to, const Pick& pick) const {
  const std::size_t entry =
      static_cast<std::size_t>(at) * static_cast<std::size_t>(hosts_) + static_cast<std::size_t>(to);
  const auto count = static_cast<int>(first_[entry + 1] - first_[entry]);
  return ports_[first_[entry] + static_cast<std::uint32_t>(pick.among(count, to % count, at))];
}

}  // namespace overture::topology
