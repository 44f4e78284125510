#include "overture/lookahead/config.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/lookahead/row.h"

namespace overture::lookahead {
namespace {

// Far beyond any use; more would only cost memory.
constexpr std::int32_t kLongestLookahead = 1'000'000;

void within(std::string_view key, std::int64_t value, std::int64_t least, std::int64_t most,
            std::string_view hint) {
  if (value >= least && value <= most) return;
  throw UserError({.key = std::string(key)}, fmt::format("{} is not from {} to {}", value, least, most),
                  hint);
}

}  // namespace

void validate(const PlannerConfig& config) {
  within("lookahead", config.lookahead, 1, kLongestLookahead, "1 plans every batch alone, without a cache");
  within("prefetch_depth", config.depth(), 1, config.lookahead,
         "rows cannot come before their batch is in the lookahead window");
  within("cleanup_interval", config.cleanup_interval, 1, config.lookahead,
         "1 cleans up after every batch, the lookahead as rarely as possible");
  within("trainers", config.trainers, 1, kMostTrainers, "");
  if (config.capacity) within("capacity", *config.capacity, 1, UINT32_MAX, "in rows");
  within("tables", static_cast<std::int64_t>(config.table_rows.size()), 1, kMostTables, "");
  for (std::size_t t = 0; t < config.table_rows.size(); ++t) {
    within(fmt::format("table_rows[{}]", t), config.table_rows[t], 0, kMostRows, "");
  }
}

std::int32_t cleanup_interval(std::int32_t lookahead, double proportion) {
  if (!(proportion >= 0 && proportion <= 1)) {
    throw UserError({.key = "cleanup_proportion"}, fmt::format("{} is not from 0 to 1", proportion));
  }
  return std::max(1, static_cast<std::int32_t>(std::floor(proportion * lookahead)));
}

}  // namespace overture::lookahead
