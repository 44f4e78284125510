// A sharding plan: for every embedding table, how it is divided and which nodes hold it, and what that asks
// of each node. The vocabulary is TorchRec's.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/model/dlrm.h"

namespace overture::model {

// How a table is spread over the nodes.
enum class TableSharding : std::uint8_t {
  table_wise,     // whole on one node; pooled rows go all-to-all
  column_wise,    // equal shares of the columns on some nodes; pooled rows go all-to-all
  row_wise,       // an equal share of the rows on every node; partial sums are reduced and scattered
  data_parallel,  // a copy on every node; gradients are all-reduced
};
constexpr auto vocabulary(TableSharding) {
  return std::to_array<Word<TableSharding>>({
      {TableSharding::table_wise, "table_wise"},
      {TableSharding::column_wise, "column_wise"},
      {TableSharding::row_wise, "row_wise"},
      {TableSharding::data_parallel, "data_parallel"},
  });
}

struct TablePlace {
  TableSharding sharding = TableSharding::table_wise;
  std::vector<int> nodes;  // table_wise: one; column_wise: one per share; otherwise none, it is all of them

  friend bool operator==(const TablePlace&, const TablePlace&) = default;
};
// A place for every table.
using TablePlan = std::vector<TablePlace>;

// Throws UserError when a node does not exist, a share would have no column, or a table has no place.
void require_sound(const TablePlan& plan, const std::vector<EmbeddingTable>& tables, int nodes);

// What a plan asks of every node, or of all of them alike. Traffic is that of one sample.
struct TableLoads {
  struct OfNode {
    Bytes memory;    // of tables and shares, all kinds together
    Bytes gathered;  // rows read from whole tables and shares of columns
    Bytes pooled;    // their sums, which the node sends to the sample's own
    int shards = 0;  // whole tables and shares of columns
  };
  std::vector<OfNode> nodes;
  Bytes row_wise_gathered;  // by all nodes together
  Bytes row_wise_pooled;
  Bytes copies_gathered;  // by the sample's own node
  Bytes copies_size;      // gradients of tables that every node has

  Bytes fullest() const;
};
// Adds what one more table asks, or takes it away again.
void add(TableLoads& loads, const TablePlace& place, const EmbeddingTable& table);
void remove(TableLoads& loads, const TablePlace& place, const EmbeddingTable& table);
TableLoads loads_of(const TablePlan& plan, const std::vector<EmbeddingTable>& tables, int nodes);

// Columns of share `i` of `shares`.
std::int64_t columns_of_share(std::int64_t columns, std::int64_t i, std::int64_t shares);

}  // namespace overture::model
