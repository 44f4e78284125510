// What a training run leaves in its folder besides checkpoints: metrics.jsonl, a line per step while it runs,
// and the sums that the summary shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "overture/train/appended_file.h"
#include "overture/train/run.h"

namespace overture::train {

// Sums over the steps of a run.
struct Totals {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::int64_t lookups = 0;
  std::int64_t rows = 0;
  std::int64_t hits = 0;
  std::int64_t critical_rows = 0;
  std::int64_t fetched_rows = 0;
  std::int64_t fetched_bytes = 0;
  std::int64_t stored_bytes = 0;
  std::int64_t most_resident_rows = 0;
  double compute_seconds = 0;
  double waited_for_plan_seconds = 0;
  double waited_for_rows_seconds = 0;
  double waited_for_peers_seconds = 0;
  double loss = 0;  // moving mean, over about a hundred steps

  void add(const StepReport& report);
  double hit_rate() const { return rows == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(rows); }
};

// One line of JSON, ended by a line break. All numbers carry their unit in their name.
std::string metrics_line(const StepReport& report, double seconds);

class MetricsFile {
 public:
  // Appends to what an earlier run wrote of steps before `first_step`; what it wrote of later ones goes.
  // Throws UserError when the file cannot be written, as add() does.
  MetricsFile(const std::filesystem::path& path, std::int64_t first_step);

  // `seconds` since the run began.
  void add(const StepReport& report, double seconds);

 private:
  AppendedFile file_;
};

}  // namespace overture::train
