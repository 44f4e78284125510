#include "overture/embedding/sharding.h"

#include <algorithm>
#include <numeric>

#include "overture/embedding/tables.h"

namespace overture::embedding {
namespace {

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

}  // namespace

std::vector<TableShare> table_shares(const TablesConfig& config, Share share) {
  const std::vector<RowLayout> layouts = config.layouts();
  const std::vector<int> servers =
      share.sharding == Sharding::table_wise ? dealt_tables(config, share.count) : std::vector<int>();
  std::vector<TableShare> result;
  for (std::size_t t = 0; t < layouts.size(); ++t) {
    const std::int64_t rows = config.tables[t].rows;
    TableShare& one = result.emplace_back(TableShare{.rows = rows, .end = layouts[t].used()});
    switch (share.sharding) {
      case Sharding::hash:
        one.first = share.index;
        one.every = share.count;
        one.rows = std::max<std::int64_t>(0, (rows - share.index + share.count - 1) / share.count);
        break;
      case Sharding::range:
        one.first = part_begin(rows, share.index, share.count);
        one.rows = part_begin(rows, share.index + 1, share.count) - one.first;
        break;
      case Sharding::table_wise:
        if (servers[t] != share.index) one.rows = 0;
        break;
      case Sharding::column_wise:
        one.begin = part_begin(layouts[t].used(), share.index, share.count);
        one.end = part_begin(layouts[t].used(), share.index + 1, share.count);
        if (one.begin == one.end) one.rows = 0;
    }
  }
  return result;
}

std::vector<std::vector<TableShare>> all_shares(const TablesConfig& config, Sharding sharding, int servers) {
  std::vector<std::vector<TableShare>> result;
  for (int server = 0; server < servers; ++server)
    result.push_back(table_shares(config, {.index = server, .count = servers, .sharding = sharding}));
  return result;
}

}  // namespace overture::embedding
