#include "overture/embedding/tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/units.h"
#include "overture/embedding/initial_rows.h"

namespace overture::embedding {
namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

// Tables start at a cache line.
std::size_t table_floats(const TableShare& held) {
  const auto floats = static_cast<std::size_t>(held.rows) * static_cast<std::size_t>(held.stride());
  return (floats + 15) / 16 * 16;
}

void within(std::size_t table, const char* key, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  throw UserError({.key = fmt::format("tables[{}].{}", table, key)},
                  fmt::format("{} is not from 1 to {}", value, most));
}

// What does not fit would not fail here but be killed half way through.
void check_memory(std::size_t size) {
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (size <= memory) return;
  const auto text = [](std::size_t bytes) { return to_string(Bytes{static_cast<std::int64_t>(bytes)}); };
  throw UserError({.key = "tables"},
                  fmt::format("take {}; this machine has {} of memory", text(size), text(memory)),
                  "name a file for them (tables.file), or make them smaller");
}

}  // namespace

std::vector<RowLayout> TablesConfig::layouts() const {
  std::vector<RowLayout> result;
  for (const TableConfig& table : tables) result.push_back(row_layout(optimizer.kind, table.dim));
  return result;
}

std::int64_t TablesConfig::width() const {
  std::int64_t width = 0;
  for (const TableConfig& table : tables) width += table.dim;
  return width;
}

void validate(const TablesConfig& config) {
  validate(config.optimizer, "table_optimizer");
  for (std::size_t t = 0; t < config.tables.size(); ++t) {
    within(t, "rows", config.tables[t].rows, kMostRows);
    within(t, "dim", config.tables[t].dim, kWidestRow);
  }
}

Tables::Tables(TablesConfig config, const Share& share, Workers& workers)
    : config_(std::move(config)), share_(share) {
  validate(config_);
  std::size_t floats = 0;
  for (const TableShare& held : table_shares(config_, share_)) {
    parts_.push_back({held, held.stride(), floats});
    floats += table_floats(held);
  }
  const std::size_t size = floats * sizeof(float);
  if (config_.file.empty()) check_memory(size);
  arena_ = config_.file.empty() ? Arena(size) : Arena(size, config_.file);
  initialise(workers);
}

std::size_t Tables::bytes(const TablesConfig& config, const Share& share) {
  std::size_t floats = 0;
  for (const TableShare& held : table_shares(config, share)) floats += table_floats(held);
  return floats * sizeof(float);
}

// A row is made whole, and what is held of it is kept.
void Tables::initialise(Workers& workers) {
  const InitialRows initial{config_.seed};
  const std::vector<RowLayout> layouts = config_.layouts();
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const auto table = static_cast<std::int64_t>(t);
    const auto bound = static_cast<float>(std::sqrt(1.0 / static_cast<double>(config_.tables[t].rows)));
    const TableShare& held = parts_[t].held;
    const bool whole = held.used() == layouts[t].used();
    workers.ranges(held.rows, 4096, [&](std::int64_t from, std::int64_t to) {
      std::vector<float> made(static_cast<std::size_t>(layouts[t].stride));
      for (std::int64_t i = from; i < to; ++i) {
        const std::int64_t id = held.id(i);
        float* const place = row(table, id);
        initial.fill(table, id, bound, layouts[t], whole ? place : made.data());
        if (!whole) std::copy(made.begin() + held.begin, made.begin() + held.end, place);
      }
    });
  }
}

}  // namespace overture::embedding
