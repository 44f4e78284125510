// What the planner is told: how far to look, how early to fetch, how often to clean up, how much fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace overture::lookahead {

struct PlannerConfig {
  std::int32_t lookahead = 200;                // L: batches in the window
  std::optional<std::int32_t> prefetch_depth;  // D <= L: a row comes at most D-1 batches early; default L
  std::int32_t cleanup_interval = 1;           // C <= L: rows leave and come every C batches
  std::optional<std::int64_t> capacity;        // K: rows the cache holds; default unbounded
  std::int32_t trainers = 1;                   // N
  std::vector<std::int64_t> table_rows;        // rows of each table; ids beyond are errors
  bool index_lookups = false;                  // fill StepPlan::lookup_rows

  std::int32_t depth() const { return prefetch_depth.value_or(lookahead); }

  bool operator==(const PlannerConfig&) const = default;
};

// Throws UserError that names the value and what would work.
void validate(const PlannerConfig& config);

// The interval that a share of the window gives, as Bagpipe's --cleanup-batch-proportion: at least 1.
std::int32_t cleanup_interval(std::int32_t lookahead, double proportion);

}  // namespace overture::lookahead
