// How the rows of all tables are divided among servers: the one place that knows which server holds what.
// A share is an arithmetic sequence of a table's ids, and some columns of each of these rows.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/words.h"
#include "overture/embedding/optimizer.h"
#include "overture/model/table_plan.h"

namespace overture::embedding {

struct TablesConfig;

enum class Sharding : std::uint8_t {
  hash,         // rows whose id, divided by the servers, leaves the server's number
  range,        // rows that follow each other, equally many
  table_wise,   // whole tables; the largest first, each to the server that has least
  column_wise,  // some columns of every row
};
constexpr auto vocabulary(Sharding) {
  return std::to_array<Word<Sharding>>({
      {Sharding::hash, "hash"},
      {Sharding::range, "range"},
      {Sharding::table_wise, "table_wise"},
      {Sharding::column_wise, "column_wise"},
  });
}

// How the tables are divided among servers: all in one way, or each in its own.
struct Division {
  Division(Sharding all_tables = Sharding::hash) : all(all_tables) {}  // NOLINT(*-explicit-*): it is one

  Sharding all;
  model::TablePlan plan = {};  // whose nodes are servers; row_wise: by hash. Empty: all tables alike

  // Every table is on one server.
  bool whole_tables() const;
  // The id alone says which server holds a row: id modulo servers.
  bool by_id(std::size_t table) const;
  friend bool operator==(const Division&, const Division&) = default;
};
// Throws UserError when the plan is not one of these tables and servers. No row has two homes: the copies of
// data_parallel tables are refused.
void validate(const Division& division, const TablesConfig& config, int servers);

// Which one of so many servers, and how the tables are divided among them.
struct Share {
  int index = 0;
  int count = 1;
  Division division = {};
};

// What a server holds of one table: ids first, first + every, and so on, `rows` of them; of each row the
// numbers [begin, end), with what the optimizer remembers at the end of a whole row.
struct TableShare {
  std::int64_t first = 0;
  std::int64_t every = 1;
  std::int64_t rows = 0;
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t used() const { return end - begin; }
  std::int32_t stride() const { return (used() + 3) / 4 * 4; }
  std::int64_t id(std::int64_t place) const { return first + place * every; }
  std::int64_t place(std::int64_t id) const { return every == 1 ? id - first : (id - first) / every; }
  bool holds(std::int64_t id) const {
    const std::int64_t from_first = id - first;
    if (from_first < 0) return false;
    return every == 1 ? from_first < rows : from_first % every == 0 && from_first / every < rows;
  }
};

// By table.
std::vector<TableShare> table_shares(const TablesConfig& config, const Share& share);
// By server, then by table.
std::vector<std::vector<TableShare>> all_shares(const TablesConfig& config, const Division& division,
                                                int servers);

}  // namespace overture::embedding
