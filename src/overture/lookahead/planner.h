// Planner: reads a stream of batches ahead and decides, step by step, which embedding rows are brought into
// the cache, how long they stay, where they lie and when their gradients are exchanged, such that a row read
// for batch y holds every update of the batches before y (docs/reference/lookahead.md has the rules and why
// they hold). Pure and deterministic: no clock, no thread, no I/O; rows keep the order in which they were
// looked up.
//
//   while (!planner.done()) {
//     while (!planner.next(plan)) add the next batch, or end_of_stream() when there is none;
//     run the step;
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "overture/lookahead/config.h"
#include "overture/lookahead/forecast.h"
#include "overture/lookahead/plan.h"
#include "overture/lookahead/slots.h"
#include "overture/lookahead/window.h"

namespace overture::lookahead {

class Planner {
 public:
  // Throws UserError when the config makes no sense.
  explicit Planner(PlannerConfig config);

  // The next batch: begin_batch(), any number of add(), end_batch(), after next() has asked for it. The order
  // of the lookups is the order in which they are added. An id that is not in the table is a UserError, after
  // which the planner is of no use.
  void begin_batch();
  void add(int trainer, std::int64_t table, std::span<const std::int32_t> ids);
  void add(int trainer, std::int64_t table, std::span<const std::int64_t> ids);
  void end_batch();
  // No batch will follow.
  void end_of_stream();

  // Plans the next step into `plan`, whose memory is used again. False when batches must be added first, or
  // when all is planned. After the last batch comes one more step, the flush.
  // Throws UserError when the rows of one batch alone do not fit into the capacity.
  bool next(StepPlan& plan);
  bool done() const { return done_; }

  const PlannerConfig& config() const { return config_; }
  // Slots that have been in use at once so far: what the cache must hold.
  std::uint32_t slots() const { return slots_.most(); }

 private:
  template <class Id>
  void add_ids(int trainer, std::int64_t table, std::span<const Id> ids);

  std::int32_t step() const { return window_.begin(); }  // the batch to plan next
  bool grow_window();
  bool enter();
  bool is_clean_up() const;
  void clean_up(StepPlan& plan);
  void fetch(std::int32_t number, StepPlan& plan);
  void plan_batch(StepPlan& plan);
  void plan_rows(const WindowBatch& batch, std::vector<PlannedRow>& rows);
  void plan_flush(StepPlan& plan);

  PlannerConfig config_;
  Window window_;
  std::optional<Forecast> forecast_;  // with a capacity
  Arrivals arrivals_;
  Slots slots_;
  std::vector<Eviction> leaving_;        // used for the last time, still in the cache
  std::vector<Eviction> maybe_leaving_;  // while rows are planned
  std::int32_t fetched_through_ = -1;    // the last batch whose rows have been fetched
  std::int64_t occupancy_ = 0;
  bool wants_batch_ = false;
  bool adding_ = false;
  bool ended_ = false;
  bool done_ = false;
};

}  // namespace overture::lookahead
