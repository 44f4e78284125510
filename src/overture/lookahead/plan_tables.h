// A plan as CSV and JSON for people and tests: what happened in every batch, to every row, at every clean-up,
// and the sums (docs/reference/lookahead.md lists the columns). Collects a whole run in memory, so for small
// ones.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "overture/lookahead/config.h"
#include "overture/lookahead/plan.h"

namespace overture::lookahead {

class PlanTables {
 public:
  explicit PlanTables(const PlannerConfig& config);

  // Takes the steps of a run in order.
  void add(const StepPlan& plan);

  const std::string& batches() const { return batches_; }
  const std::string& decisions() const { return decisions_; }
  const std::string& evictions() const { return evictions_; }
  const std::string& cleanup() const { return cleanup_; }
  std::string totals() const;

 private:
  struct History {
    std::int32_t last_use = kNever;
    std::int64_t batches = 0;
    std::int64_t lookups = 0;
  };
  struct Totals {
    std::int64_t batches = 0;
    std::int64_t lookups = 0;
    std::int64_t rows = 0;
    std::int64_t hits = 0;
    std::int64_t prefetches = 0;
    std::int64_t evictions = 0;
    std::int64_t peak_occupancy = 0;
    std::int64_t peak_resident = 0;     // after clean-ups
    std::int64_t peak_window_rows = 0;  // resident if all is fetched as early as allowed
    std::int64_t syncs[3] = {};
  };

  void add_row(std::int32_t batch, const PlannedRow& row);
  void add_clean_up(const StepPlan& plan);

  bool bounded_;
  std::string batches_;
  std::string decisions_;
  std::string evictions_;
  std::string cleanup_;
  std::unordered_map<Row, History> history_;
  Totals totals_;
};

}  // namespace overture::lookahead
