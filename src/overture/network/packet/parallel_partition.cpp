#include "overture/network/packet/parallel_partition.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace overture::network::packet {
namespace {

std::size_t place(int node) { return static_cast<std::size_t>(node); }

// Nodes that stay together, by union of their numbers.
class Groups {
 public:
  explicit Groups(int nodes) : parent_(place(nodes)) { std::iota(parent_.begin(), parent_.end(), 0); }

  int of(int node) {
    while (parent_[place(node)] != node) node = parent_[place(node)] = parent_[place(parent_[place(node)])];
    return node;
  }
  void join(int a, int b) { parent_[place(of(a))] = of(b); }

 private:
  std::vector<int> parent_;
};

Groups nearer_than(const topology::Graph& graph, std::int64_t delay) {
  Groups groups(graph.nodes());
  for (const topology::Link& link : graph.links()) {
    if (link.wire.delay.count() < delay) groups.join(link.from, link.to);
  }
  return groups;
}

// Every arrival costs about the same, at a host a little more: so a node weighs as much as its links can
// bring, in packets.
std::vector<double> weights(const topology::Graph& graph) {
  std::vector<double> weights(place(graph.nodes()));
  for (const topology::Link& link : graph.links()) {
    const double rate = static_cast<double>(link.wire.rate.bits_per_second());
    weights[place(link.to)] += graph.is_host(link.to) ? 1.5 * rate : rate;
  }
  return weights;
}

bool falls_apart(const topology::Graph& graph, std::int64_t delay) {
  Groups groups = nearer_than(graph, delay);
  const std::vector<double> weight = weights(graph);
  std::vector<double> of_group(weight.size());
  for (int node = 0; node < graph.nodes(); ++node) of_group[place(groups.of(node))] += weight[place(node)];
  return std::ranges::max(of_group) <= std::accumulate(weight.begin(), weight.end(), 0.0) / 4;
}

// Where a node is in a row of all hosts: a switch stands in the middle of the neighbours that come before it.
std::vector<double> positions(const topology::Graph& graph) {
  std::vector<double> positions(place(graph.nodes()), -1);
  std::vector<int> order;
  for (int host = 0; host < graph.hosts(); ++host) {
    positions[place(host)] = host;
    order.push_back(host);
  }
  while (!order.empty()) {  // one layer of switches after the other
    std::vector<int> next;
    for (const int node : order) {
      for (const topology::Link& link : graph.links_of(node)) {
        if (positions[place(link.to)] < 0) next.push_back(link.to);
      }
    }
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    std::vector<double> of_next;
    for (const int node : next) {
      double sum = 0;
      int count = 0;
      for (const topology::Link& link : graph.links_of(node)) {
        if (positions[place(link.to)] < 0) continue;
        sum += positions[place(link.to)];
        ++count;
      }
      of_next.push_back(count == 0 ? 0 : sum / count);
    }
    for (std::size_t i = 0; i < next.size(); ++i) positions[place(next[i])] = of_next[i];
    order = next;
  }
  return positions;
}

struct Group {
  double position = 0;  // weighted, of its nodes
  double weight = 0;
  std::vector<int> nodes;
};

std::vector<Group> groups_in_a_row(const topology::Graph& graph) {
  const std::vector<double> position = positions(graph);
  const std::vector<double> weight = weights(graph);
  Groups joined = nearer_than(graph, window(graph));
  std::vector<Group> groups(place(graph.nodes()));
  for (int node = 0; node < graph.nodes(); ++node) {
    Group& group = groups[place(joined.of(node))];
    group.position += position[place(node)] * weight[place(node)];
    group.weight += weight[place(node)];
    group.nodes.push_back(node);
  }
  std::erase_if(groups, [](const Group& group) { return group.nodes.empty(); });
  for (Group& group : groups) group.position /= group.weight;
  std::ranges::stable_sort(groups, {}, &Group::position);
  return groups;
}

}  // namespace

std::int64_t window(const topology::Graph& graph) {
  std::set<std::int64_t, std::greater<>> delays;
  for (const topology::Link& link : graph.links()) delays.insert(link.wire.delay.count());
  delays.erase(0);
  for (const std::int64_t delay : delays) {
    if (falls_apart(graph, delay)) return delay;
  }
  return delays.empty() ? 0 : *delays.rbegin();
}

Partition partition(const topology::Graph& graph, int parts) {
  Partition result{.of = std::vector<int>(place(graph.nodes()))};
  if (parts == 1 || window(graph) == 0) return result;
  const std::vector<Group> groups = groups_in_a_row(graph);
  double total = 0;
  for (const Group& group : groups) total += group.weight;
  double before = 0;
  int last = 0;  // parts are numbered without a gap, also where one group is heavier than a part
  double last_share = 0;
  for (const Group& group : groups) {
    const auto share = std::floor((before + group.weight / 2) / total * parts);
    if (share > last_share && before > 0) ++last;
    last_share = std::max(share, last_share);
    for (const int node : group.nodes) result.of[place(node)] = last;
    before += group.weight;
  }
  result.parts = last + 1;
  return result;
}

}  // namespace overture::network::packet
