#include "overture/model/table_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::model {
namespace {

void require_place(const TablePlace& place, const EmbeddingTable& table, std::size_t number, int nodes) {
  const bool named =
      place.sharding == TableSharding::table_wise || place.sharding == TableSharding::column_wise;
  const auto shares = std::ssize(place.nodes);
  if (named != !place.nodes.empty() || (place.sharding == TableSharding::table_wise && shares != 1))
    throw UserError(fmt::format("table {} has {} nodes", number, shares),
                    "table_wise names one node, column_wise one for each share, the others none");
  if (shares > table.columns)
    throw UserError(fmt::format("table {} has {} shares of {} columns", number, shares, table.columns));
  for (const int node : place.nodes) {
    if (node >= 0 && node < nodes) continue;
    throw UserError(fmt::format("table {} is on node {}, but nodes are 0 to {}", number, node, nodes - 1));
  }
}

// `sign` is 1 or -1.
void count(TableLoads& loads, const TablePlace& place, const EmbeddingTable& table, int sign) {
  const auto nodes = static_cast<std::int64_t>(loads.nodes.size());
  const Bytes number = size_of(table.number) * sign;
  const Bytes row = number * table.columns;
  switch (place.sharding) {
    case TableSharding::table_wise:
    case TableSharding::column_wise:
      for (std::size_t i = 0; i < place.nodes.size(); ++i) {
        TableLoads::OfNode& node = loads.nodes[static_cast<std::size_t>(place.nodes[i])];
        const std::int64_t columns =
            columns_of_share(table.columns, static_cast<std::int64_t>(i), std::ssize(place.nodes));
        const Bytes share = number * columns;
        node.memory += table.memory(table.rows, columns) * sign;
        node.gathered += share * table.bag;
        node.pooled += share;
        node.shards += sign;
      }
      return;
    case TableSharding::row_wise:
      for (TableLoads::OfNode& node : loads.nodes)
        node.memory += table.memory((table.rows + nodes - 1) / nodes, table.columns) * sign;
      loads.row_wise_gathered += row * table.bag;
      loads.row_wise_pooled += row;
      return;
    case TableSharding::data_parallel:
      for (TableLoads::OfNode& node : loads.nodes) node.memory += table.memory() * sign;
      loads.copies_gathered += row * table.bag;
      loads.copies_size += row * table.rows;
      return;
  }
}

}  // namespace

std::int64_t columns_of_share(std::int64_t columns, std::int64_t i, std::int64_t shares) {
  return columns * (i + 1) / shares - columns * i / shares;
}

void require_sound(const TablePlan& plan, const std::vector<EmbeddingTable>& tables, int nodes) {
  if (plan.size() != tables.size())
    throw UserError(fmt::format("{} places for {} tables", plan.size(), tables.size()),
                    "give every table a place");
  for (std::size_t t = 0; t < plan.size(); ++t) require_place(plan[t], tables[t], t, nodes);
}

Bytes TableLoads::fullest() const {
  Bytes most;
  for (const OfNode& node : nodes) most = std::max(most, node.memory);
  return most;
}

void add(TableLoads& loads, const TablePlace& place, const EmbeddingTable& table) {
  count(loads, place, table, 1);
}
void remove(TableLoads& loads, const TablePlace& place, const EmbeddingTable& table) {
  count(loads, place, table, -1);
}

TableLoads loads_of(const TablePlan& plan, const std::vector<EmbeddingTable>& tables, int nodes) {
  check(plan.size() == tables.size() && nodes >= 1, "every table has a place");
  TableLoads loads;
  loads.nodes.resize(static_cast<std::size_t>(nodes));
  for (std::size_t t = 0; t < plan.size(); ++t) add(loads, plan[t], tables[t]);
  return loads;
}

}  // namespace overture::model
