#include "overture/embedding/sharding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/embedding/tables.h"

namespace overture::embedding {
namespace {

using model::TablePlace;
using model::TableSharding;

// The server of every table.
std::vector<int> dealt_tables(const TablesConfig& config, int servers) {
  const std::vector<RowLayout> layouts = config.layouts();
  const auto size = [&](std::size_t t) { return config.tables[t].rows * layouts[t].stride; };
  std::vector<std::size_t> order(config.tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size(a) > size(b); });
  std::vector<std::int64_t> held(static_cast<std::size_t>(servers), 0);
  std::vector<int> result(order.size());
  for (const std::size_t t : order) {
    const auto least = std::min_element(held.begin(), held.end());
    *least += size(t);
    result[t] = static_cast<int>(least - held.begin());
  }
  return result;
}

// The `index`-th of `count` nearly equal parts of [0, whole).
template <class T>
T part_begin(T whole, int index, int count) {
  return static_cast<T>(std::int64_t{whole} * index / count);
}

// The place of every table, whoever said how they are divided.
model::TablePlan places_of(const TablesConfig& config, const Share& share) {
  if (!share.division.plan.empty()) return share.division.plan;
  TablePlace alike{.sharding = TableSharding::row_wise, .nodes = {}};
  if (share.division.all == Sharding::column_wise) {
    alike = {.sharding = TableSharding::column_wise, .nodes = std::vector<int>(share.count)};
    std::iota(alike.nodes.begin(), alike.nodes.end(), 0);
  }
  model::TablePlan places(config.tables.size(), alike);
  if (share.division.all != Sharding::table_wise) return places;
  const std::vector<int> servers = dealt_tables(config, share.count);
  for (std::size_t t = 0; t < places.size(); ++t) places[t] = {TableSharding::table_wise, {servers[t]}};
  return places;
}

TableShare share_of_rows(std::int64_t rows, const Share& share, std::int32_t used) {
  TableShare one{.end = used};
  if (share.division.all == Sharding::range && share.division.plan.empty()) {
    one.first = part_begin(rows, share.index, share.count);
    one.rows = part_begin(rows, share.index + 1, share.count) - one.first;
  } else {
    one.first = share.index;
    one.every = share.count;
    one.rows = std::max<std::int64_t>(0, (rows - share.index + share.count - 1) / share.count);
  }
  return one;
}

// Some columns of all rows, or nothing. A whole table is a single share.
TableShare share_of_columns(std::int64_t rows, const std::vector<int>& servers, int server,
                            std::int32_t used) {
  const auto found = std::ranges::find(servers, server);
  if (found == servers.end()) return {.rows = 0, .end = used};
  const auto index = static_cast<int>(found - servers.begin());
  const auto count = static_cast<int>(servers.size());
  TableShare one{
      .rows = rows, .begin = part_begin(used, index, count), .end = part_begin(used, index + 1, count)};
  if (one.begin == one.end) one.rows = 0;
  return one;
}

}  // namespace

bool Division::whole_tables() const {
  if (plan.empty()) return all == Sharding::table_wise;
  return std::ranges::all_of(
      plan, [](const TablePlace& place) { return place.sharding == TableSharding::table_wise; });
}

bool Division::by_id(std::size_t table) const {
  return plan.empty() ? all == Sharding::hash : plan[table].sharding == TableSharding::row_wise;
}

void validate(const Division& division, const TablesConfig& config, int servers) {
  if (division.plan.empty()) return;
  const Where where{.key = "tables.plan"};
  std::vector<model::EmbeddingTable> tables;
  for (const TableConfig& table : config.tables) tables.push_back({.rows = table.rows, .columns = table.dim});
  for (std::size_t t = 0; t < division.plan.size(); ++t) {
    const TablePlace& place = division.plan[t];
    if (place.sharding == TableSharding::data_parallel)
      throw UserError(where, fmt::format("table {} is data_parallel, but every row has one home", t),
                      "make the plan with `overture plan MODEL --for train`");
    if (std::set(place.nodes.begin(), place.nodes.end()).size() != place.nodes.size())
      throw UserError(where, fmt::format("table {} names a server twice", t));
    for (const int server : place.nodes) {
      if (server < servers) continue;
      throw UserError(
          where, fmt::format("table {} is on server {}, but servers are 0 to {}", t, server, servers - 1),
          fmt::format("start at least {} servers, or plan for {}", server + 1, servers));
    }
  }
  try {
    model::require_sound(division.plan, tables, servers);
  } catch (const UserError& error) {
    throw at(where, error);
  }
}

std::vector<TableShare> table_shares(const TablesConfig& config, const Share& share) {
  const std::vector<RowLayout> layouts = config.layouts();
  const model::TablePlan places = places_of(config, share);
  std::vector<TableShare> result;
  for (std::size_t t = 0; t < layouts.size(); ++t) {
    const std::int64_t rows = config.tables[t].rows;
    result.push_back(places[t].sharding == TableSharding::row_wise
                         ? share_of_rows(rows, share, layouts[t].used())
                         : share_of_columns(rows, places[t].nodes, share.index, layouts[t].used()));
  }
  return result;
}

std::vector<std::vector<TableShare>> all_shares(const TablesConfig& config, const Division& division,
                                                int servers) {
  std::vector<std::vector<TableShare>> result;
  for (int server = 0; server < servers; ++server)
    result.push_back(table_shares(config, {.index = server, .count = servers, .division = division}));
  return result;
}

}  // namespace overture::embedding
