#include "overture/astra2/program.h"

#include <algorithm>
#include <numeric>

namespace overture::astra2 {
namespace {

// The reader has them in the order of the file.
void sort_by_id(chakra::RankTrace& trace) {
  const auto by_id = [](const chakra::Node& a, const chakra::Node& b) { return a.id < b.id; };
  if (std::is_sorted(trace.nodes.begin(), trace.nodes.end(), by_id)) return;
  std::vector<std::uint32_t> order(trace.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return trace.nodes[a].id < trace.nodes[b].id; });
  std::vector<std::uint32_t> place(order.size());
  std::vector<chakra::Node> nodes(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    nodes[i] = trace.nodes[order[i]];
  }
  trace.nodes = std::move(nodes);
  for (std::uint32_t& parent : trace.parents) parent = place[parent];
}

}  // namespace

Program::Program(chakra::RankTrace of) : trace(std::move(of)) {
  sort_by_id(trace);
  first_child.assign(trace.nodes.size() + 1, 0);
  for (const std::uint32_t parent : trace.parents) ++first_child[parent + 1];
  for (std::size_t n = 1; n < first_child.size(); ++n) first_child[n] += first_child[n - 1];
  children.resize(trace.parents.size());
  std::vector<std::uint32_t> next(first_child.begin(), first_child.end() - 1);
  for (std::uint32_t n = 0; n < size(); ++n) {
    for (const std::uint32_t parent : trace.parents_of(trace.nodes[n])) children[next[parent]++] = n;
  }
}

Lane lane_of(const chakra::Node& node) {
  if (node.on_cpu()) return Lane::cpu;
  if (node.kind == chakra::NodeKind::compute) return Lane::compute;
  if (node.kind == chakra::NodeKind::receive) return Lane::none;
  return Lane::communication;
}

}  // namespace overture::astra2
