#include "overture/topology/live_routing.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::topology {

LiveRouting::LiveRouting(const Graph& graph, std::vector<bool> down)
    : graph_(&graph),
      down_(std::move(down)),
      any_down_(std::ranges::find(down_, true) != down_.end()),
      into_(static_cast<std::size_t>(graph.nodes())) {
  check(down_.size() == graph.links().size(), "every link is down or not");
  for (std::size_t id = 0; id < down_.size(); ++id) {
    if (!down_[id]) into_[static_cast<std::size_t>(graph.links()[id].to)].push_back(static_cast<int>(id));
  }
}

const LiveRouting::Distances& LiveRouting::distances_to(int host) const {
  const auto [entry, added] = known_.try_emplace(host);
  Distances& distance = entry->second;
  if (!added) return distance;
  distance.assign(static_cast<std::size_t>(graph_->nodes()), -1);
  distance[static_cast<std::size_t>(host)] = 0;
  std::vector<int> queue{host};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int node = queue[i];
    if (graph_->is_host(node) && node != host) continue;
    for (const int link : into_[static_cast<std::size_t>(node)]) {
      const int before = graph_->links()[static_cast<std::size_t>(link)].from;
      if (distance[static_cast<std::size_t>(before)] >= 0) continue;
      distance[static_cast<std::size_t>(before)] = distance[static_cast<std::size_t>(node)] + 1;
      queue.push_back(before);
    }
  }
  return distance;
}

bool LiveRouting::reaches(int from, int to) const {
  return distances_to(to)[static_cast<std::size_t>(from)] >= 0;
}

bool LiveRouting::leads_on(int link, int to, const Distances& distance) const {
  const Link& taken = graph_->links()[static_cast<std::size_t>(link)];
  if (is_down(link) || (graph_->is_host(taken.to) && taken.to != to)) return false;
  const std::int32_t left = distance[static_cast<std::size_t>(taken.to)];
  return left >= 0 && left + 1 == distance[static_cast<std::size_t>(taken.from)];
}

std::vector<int> LiveRouting::equal_ports(int at, int to) const {
  const Distances& distance = distances_to(to);
  std::vector<int> ports;
  for (int port = 0; port < graph_->ports(at); ++port) {
    if (leads_on(graph_->first_link(at) + port, to, distance)) ports.push_back(port);
  }
  return ports;
}

int LiveRouting::port(int at, int to, const Pick& pick) const {
  const std::vector<int> ports = equal_ports(at, to);
  check(!ports.empty(), "a path is left");
  const auto count = static_cast<int>(ports.size());
  return ports[static_cast<std::size_t>(pick.among(count, to % count, at))];
}

}  // namespace overture::topology
