#include "overture/lookahead/planner.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::lookahead {
namespace {

PlannerConfig validated(PlannerConfig config) {
  validate(config);
  return config;
}

// A negative id is a huge number here, so one comparison covers both ends and the loop is a vector maximum.
template <class Id>
bool all_below(std::span<const Id> ids, std::int64_t rows) {
  std::make_unsigned_t<Id> largest = 0;
  for (const Id id : ids) largest = std::max(largest, static_cast<std::make_unsigned_t<Id>>(id));
  return ids.empty() || std::uint64_t{largest} < static_cast<std::uint64_t>(rows);
}

}  // namespace

Planner::Planner(PlannerConfig config)
    : config_(validated(std::move(config))),
      window_({.table_rows = config_.table_rows,
               .several_trainers = config_.trainers > 1,
               .index_lookups = config_.index_lookups}) {
  if (!config_.capacity) return;
  forecast_.emplace(config_.lookahead, config_.depth(), *config_.capacity);
  arrivals_.kept_since.resize(config_.lookahead);
}

void Planner::begin_batch() {
  check(wants_batch_ && !ended_, "a batch begins when next() has asked for it");
  wants_batch_ = false;
  adding_ = true;
  window_.begin_batch();
}

void Planner::add(int trainer, std::int64_t table, std::span<const std::int32_t> ids) {
  add_ids(trainer, table, ids);
}
void Planner::add(int trainer, std::int64_t table, std::span<const std::int64_t> ids) {
  add_ids(trainer, table, ids);
}

template <class Id>
void Planner::add_ids(int trainer, std::int64_t table, std::span<const Id> ids) {
  check(adding_, "lookups are added to an open batch");
  check(trainer >= 0 && trainer < config_.trainers, "lookups belong to one of the trainers");
  const std::int32_t number = window_.batches().end() - 1;
  const auto tables = static_cast<std::int64_t>(config_.table_rows.size());
  if (table < 0 || table >= tables) {
    throw UserError(fmt::format("batch {} looks up table {}; there are {}", number, table, tables));
  }
  const std::int64_t rows = config_.table_rows[static_cast<std::size_t>(table)];
  if (!all_below(ids, rows)) {
    const auto bad = std::find_if(ids.begin(), ids.end(), [&](Id id) { return id < 0 || id >= rows; });
    throw UserError(
        fmt::format("batch {} looks up id {} of table {}, which has {} rows", number, *bad, table, rows),
        "ids run from 0 to the number of rows less one");
  }
  window_.read(table, trainer, ids);
}

void Planner::end_batch() {
  check(adding_, "a batch ends that has begun");
  adding_ = false;
}

void Planner::end_of_stream() {
  check(!adding_, "the stream ends after a whole batch");
  ended_ = true;
}

bool Planner::next(StepPlan& plan) {
  check(!adding_, "a step is planned between batches");
  if (done_) return false;
  wants_batch_ = !grow_window();
  if (wants_batch_) return false;
  plan.batch = step();
  plan.flush = step() == window_.batches().end();
  plan.clean_up = plan.flush || is_clean_up();
  plan.evictions.clear();
  plan.fetches.clear();
  if (plan.clean_up) clean_up(plan);
  if (plan.flush) {
    plan_flush(plan);
  } else {
    plan_batch(plan);
  }
  return true;
}

// Takes in what the lookahead and the capacity allow. False when that is not known for want of a batch.
bool Planner::grow_window() {
  while (window_.end() - step() + 1 < config_.lookahead) {
    if (window_.end() + 1 == window_.batches().end()) return ended_;
    if (!enter()) break;
  }
  return true;
}

// False when the next batch does not fit yet.
bool Planner::enter() {
  if (forecast_) {
    const std::int32_t number = window_.end() + 1;
    window_.count(arrivals_);
    if (!forecast_->admit(step(), number, arrivals_)) {
      if (number > step()) return false;
      throw UserError(fmt::format("batch {} looks up {} different rows; the cache holds {}", number,
                                  window_.batches()[number].rows(), *config_.capacity),
                      "raise cache.capacity (--cache-size), leave it out, or make the batches smaller");
    }
  }
  window_.enter();
  return true;
}

// Besides the regular points there is one whenever the next batch has not been fetched: the capacity may
// shrink the window below the interval, and the prefetch depth may be smaller than it.
bool Planner::is_clean_up() const {
  return step() % config_.cleanup_interval == 0 || fetched_through_ < step();
}

void Planner::clean_up(StepPlan& plan) {
  for (const Eviction& eviction : leaving_) slots_.give_back(eviction.slot);
  plan.evictions.swap(leaving_);
  const std::int32_t last = std::min(window_.end(), step() + config_.depth() - 1);
  while (fetched_through_ < last) fetch(++fetched_through_, plan);
}

void Planner::fetch(std::int32_t number, StepPlan& plan) {
  const WindowBatch& batch = window_.batches()[number];
  for (const std::uint32_t place : batch.fresh) {
    const std::uint32_t slot = slots_.take();
    window_.set_slot(place, slot);
    plan.fetches.push_back(
        {.row = window_.row(place), .users = window_.users(place), .slot = slot, .for_batch = number});
  }
}

void Planner::plan_batch(StepPlan& plan) {
  WindowBatch& batch = window_.batches()[step()];
  plan.window_end = window_.end();
  plan.issue_step = batch.issue_step;
  plan.lookups = batch.lookups;
  plan.prefetches = static_cast<std::int64_t>(batch.fresh.size());
  plan.window_rows = window_.rows();
  plan.resident = slots_.taken();
  plan.occupancy = occupancy_ += plan.prefetches;
  const std::size_t left_before = leaving_.size();
  plan_rows(batch, plan.rows);
  const auto leaving = static_cast<std::int64_t>(leaving_.size() - left_before);
  occupancy_ -= leaving;
  plan.lookup_rows.swap(batch.lookup_rows);
  if (forecast_) forecast_->pass(step());
  window_.pop(leaving);
}

// Every row is written down as one that leaves; only behind those that do, the list goes on.
void Planner::plan_rows(const WindowBatch& batch, std::vector<PlannedRow>& rows) {
  rows.resize(batch.rows());  // writes only what the largest batch so far did not have
  maybe_leaving_.resize(std::max<std::size_t>(maybe_leaving_.size(), batch.rows() + 1));
  Eviction* leaving = maybe_leaving_.data();
  PlannedRow* row = rows.data();
  const std::int32_t number = step();
  const int trainers = config_.trainers;
  window_.for_each_row([&](const RowUse& use) {
    const auto owned_by = static_cast<std::uint8_t>(owner(use.row, use.users, trainers));
    *row++ = {.row = use.row,
              .users = use.users,
              .next_users = use.next_users,
              .slot = use.slot,
              .count = use.count,
              .ttl = use.last_use,
              .next_use = use.next_use,
              .owner = owned_by,
              .sync = sync_class(number, use.next_use, use.users),
              .event = Event::hit};
    *leaving = {.row = use.row, .slot = use.slot, .owner = owned_by};
    leaving += static_cast<int>(use.next_use == kNever);
  });
  for (const std::uint32_t place : batch.fresh) rows[place - batch.from].event = Event::prefetch;
  leaving_.insert(leaving_.end(), maybe_leaving_.data(), leaving);
}

void Planner::plan_flush(StepPlan& plan) {
  check(slots_.taken() == 0 && window_.rows() == 0, "a flush leaves nothing in the cache");
  plan.window_end = window_.end();
  plan.issue_step = step();
  plan.lookups = plan.prefetches = plan.window_rows = plan.occupancy = plan.resident = 0;
  plan.rows.clear();
  plan.lookup_rows.clear();
  done_ = true;
}

}  // namespace overture::lookahead
