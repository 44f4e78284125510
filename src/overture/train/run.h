// What a training run is asked for beyond its config, and what it tells of every step and at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "overture/data/batch.h"
#include "overture/data/metrics.h"
#include "overture/train/messages.h"

namespace overture::train {

// How good the model was on the held-out samples after so many steps.
struct HeldOut {
  std::int64_t steps = 0;
  data::Metrics metrics;
  double seconds = 0;  // that it took; nothing was trained meanwhile
};

// Where one trainer's time of a step went.
struct TrainerTimes {
  double compute_seconds = 0;
  double waited_for_plan_seconds = 0;
  double waited_for_rows_seconds = 0;
  double waited_for_peers_seconds = 0;
  std::vector<Span> spans;  // when it was
};

// What is known of a step once all trainers have finished it. Times are those of one trainer, the one that
// computed longest, so that they add up.
struct StepReport {
  std::int64_t step = 0;
  std::int64_t samples = 0;
  double loss = 0;  // mean
  std::int64_t lookups = 0;
  std::int64_t rows = 0;  // different ones
  std::int64_t hits = 0;
  std::int64_t critical_rows = 0;  // used again by the next batch
  std::int64_t delayed_rows = 0;   // used again later, or by several trainers
  std::int64_t resident_rows = 0;  // in the cache
  std::int64_t window = 0;         // batches that the planner saw
  std::int64_t fetched_rows = 0;
  std::int64_t fetched_bytes = 0;
  std::int64_t stored_rows = 0;
  std::int64_t stored_bytes = 0;
  double compute_seconds = 0;
  double waited_for_plan_seconds = 0;
  double waited_for_rows_seconds = 0;
  double waited_for_peers_seconds = 0;
  std::vector<TrainerTimes> trainers;  // of all, by rank

  // The share of the different rows that the cache had.
  double hit_rate() const { return rows == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(rows); }
};

struct RunOptions {
  std::int64_t steps = -1;            // at most so many more; -1: until the data ends
  std::filesystem::path checkpoints;  // a folder; empty: none are written
  std::int64_t checkpoint_every = 0;  // steps; 0: only at the end
  bool checkpoint_at_end = true;
  std::int64_t keep_every = 0;  // steps whose checkpoints stay for good; 0: none
  std::function<bool()> stop;   // asked between steps: finish what is under way, save, stop?
  std::function<void(const StepReport&)> on_step;
  // Opens the samples to evaluate on: after every `evaluate_every` steps, 0 for never, and at the end of a
  // run that was not stopped early, if asked for.
  std::function<std::unique_ptr<data::BatchSource>()> held_out;
  std::int64_t evaluate_every = 0;
  bool evaluate_at_end = false;
  // Called once on_step has told of the last step. A checkpoint of the same step comes later: who resumes
  // from it finds the evaluation done.
  std::function<void(const HeldOut&)> on_evaluated;
  // A checkpoint is complete; nothing was trained for so many seconds. Called as on_evaluated is.
  std::function<void(double seconds)> on_saved;
};

// Whether something that is done every so many steps, 0 for never, is due after `steps`.
constexpr bool is_multiple(std::int64_t steps, std::int64_t every) { return every > 0 && steps % every == 0; }

struct RunResult {
  std::int64_t steps = 0;  // trained in all, earlier runs included
  bool stopped_early = false;
  std::filesystem::path checkpoint;  // the last one written; empty: none
};

// A training run, whoever does the work. Once constructed, it can run once.
class Training {
 public:
  virtual ~Training() = default;

  // Steps that were trained before, in a resumed run.
  virtual std::int64_t first_step() const = 0;
  // Trains on `source`, from its beginning: batches that an earlier run has trained are skipped. Throws
  // UserError, or what says which party failed.
  virtual RunResult run(data::BatchSource& source, const RunOptions& options) = 0;
};

}  // namespace overture::train
