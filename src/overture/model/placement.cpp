#include "overture/model/placement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::model {
namespace {

Placement round_robin(std::size_t tables, int nodes) {
  Placement placement(tables);
  for (std::size_t t = 0; t < tables; ++t)
    placement[t] = static_cast<int>(t % static_cast<std::size_t>(nodes));
  return placement;
}

// Graham's longest-processing-time rule: at most 4/3 of the best possible (1969). Ties go to the node with
// the lower number.
Placement size_balanced(const std::vector<EmbeddingTable>& tables, int nodes) {
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return tables[t].memory(); });
  std::vector<std::pair<Bytes, int>> heap;  // what a node holds, smallest first
  for (int node = 0; node < nodes; ++node) heap.emplace_back(Bytes{0}, node);
  Placement placement(tables.size());
  for (const std::size_t table : order) {
    std::ranges::pop_heap(heap, std::greater<>());
    placement[table] = heap.back().second;
    heap.back().first += tables[table].memory();
    std::ranges::push_heap(heap, std::greater<>());
  }
  return placement;
}

}  // namespace

Placement place_tables(const std::vector<EmbeddingTable>& tables, int nodes, PlacementRule rule) {
  if (nodes < 1) throw UserError("tables need at least one node");
  return rule == PlacementRule::round_robin ? round_robin(tables.size(), nodes)
                                            : size_balanced(tables, nodes);
}

std::vector<int> tables_per_node(const Placement& placement, int nodes) {
  std::vector<int> count(static_cast<std::size_t>(nodes));
  for (const int node : placement) ++count[static_cast<std::size_t>(node)];
  return count;
}

std::vector<Bytes> bytes_per_node(const std::vector<EmbeddingTable>& tables, const Placement& placement,
                                  int nodes) {
  check(tables.size() == placement.size(), "every table has a place");
  std::vector<Bytes> bytes(static_cast<std::size_t>(nodes));
  for (std::size_t t = 0; t < tables.size(); ++t)
    bytes[static_cast<std::size_t>(placement[t])] += tables[t].memory();
  return bytes;
}

void require_fit(const std::vector<EmbeddingTable>& tables, const Placement& placement, int nodes,
                 Bytes memory) {
  const std::vector<Bytes> bytes = bytes_per_node(tables, placement, nodes);
  const auto fullest = std::ranges::max_element(bytes);
  if (fullest == bytes.end() || *fullest <= memory) return;
  throw UserError(fmt::format("the tables of node {} need {}, but a node has {}", fullest - bytes.begin(),
                              to_string(*fullest), to_string(memory)),
                  "use more nodes, fewer tables or fewer rows");
}

}  // namespace overture::model
