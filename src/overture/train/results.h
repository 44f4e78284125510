// What a training run leaves in its folder besides checkpoints: metrics.jsonl, a line per step while it runs,
// and the sums that the summary shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "overture/data/metrics.h"
#include "overture/train/appended_file.h"
#include "overture/train/run.h"

namespace overture::train {

// How long steps take: mean and standard deviation, without the first steps, which fill the cache.
class IterationTimes {
 public:
  static constexpr std::int64_t kWarmUp = 10;

  void add(double seconds);
  std::int64_t counted() const { return counted_; }
  double mean() const { return mean_; }
  double deviation() const;

 private:
  std::int64_t steps_ = 0;
  std::int64_t counted_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// Of the steps in a run's metrics.jsonl. Throws UserError: the file cannot be read, or a line is not one of
// ours.
IterationTimes iteration_times(const std::filesystem::path& metrics);

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
  double last_loss = 0;
  double loss = 0;  // mean over the last tenth of the steps, at most a hundred: how the run ended

  void add(const StepReport& report);
  double hit_rate() const { return rows == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(rows); }

 private:
  static constexpr std::size_t kSmoothed = 100;
  std::deque<double> losses_;  // the last ones, newest first
};

// A line of JSON per step, which is in the file before the next step. All numbers carry their unit in their
// name.
class MetricsFile {
 public:
  // Appends to what an earlier run wrote of steps before `first_step`; what it wrote of later ones goes.
  // Throws UserError when the file cannot be written, as all do.
  MetricsFile(const std::filesystem::path& path, std::int64_t first_step);

  // `seconds` since the run began.
  void add(const StepReport& report, double seconds);
  // Of the model after the step that was added last, as the next: joins its line.
  void add(const HeldOut& held_out);
  void add_checkpoint(double seconds);

  // By steps, those of earlier runs too; of these, only what the lines tell.
  const std::vector<HeldOut>& evaluations() const { return evaluations_; }

 private:
  MetricsFile(const std::filesystem::path& path, const std::string& earlier);

  AppendedFile file_;
  // The last line is of this run, and has none yet.
  bool awaits_evaluation_ = false;
  bool awaits_checkpoint_ = false;
  std::vector<HeldOut> evaluations_;
};

}  // namespace overture::train
