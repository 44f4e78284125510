// Which node holds which embedding table, whole (table-wise parallelism).
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/model/dlrm.h"

namespace overture::model {

enum class PlacementRule : std::uint8_t {
  round_robin,    // table t on node t mod nodes
  size_balanced,  // the largest first, each on the node that holds the least
};
constexpr auto vocabulary(PlacementRule) {
  return std::to_array<Word<PlacementRule>>({
      {PlacementRule::round_robin, "round_robin"},
      {PlacementRule::size_balanced, "size_balanced"},
  });
}

// The node of every table.
using Placement = std::vector<int>;

Placement place_tables(const std::vector<EmbeddingTable>& tables, int nodes, PlacementRule rule);

std::vector<int> tables_per_node(const Placement& placement, int nodes);
std::vector<Bytes> bytes_per_node(const std::vector<EmbeddingTable>& tables, const Placement& placement,
                                  int nodes);

// Throws UserError when a node's tables need more than `memory`.
void require_fit(const std::vector<EmbeddingTable>& tables, const Placement& placement, int nodes,
                 Bytes memory);

}  // namespace overture::model
