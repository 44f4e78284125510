#include "overture/lookahead/traffic.h"

#include <algorithm>
#include <utility>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::lookahead {
namespace {

// Who uses which row is counted here; what the planner decides does not depend on it.
PlannerConfig for_one_trainer(PlannerConfig config) {
  config.trainers = 1;
  config.index_lookups = true;
  return config;
}

}  // namespace

Bytes StepTraffic::order_message(int trainer) const {
  const auto t = static_cast<std::size_t>(trainer);
  const auto array = [](std::int64_t count, std::size_t size) {
    return array_size(count * static_cast<std::int64_t>(size));
  };
  return Bytes{kOrderHead + array(evicted[t], sizeof(Eviction)) + array(fetched[t], sizeof(Fetch)) +
               array(rows[t], sizeof(PlannedRow)) + data[t]};
}

TrafficConfig of_one_number(TrafficConfig config) {
  config.gradient_numbers.assign(config.gradient_numbers.size(), 1);
  config.row_numbers.assign(config.row_numbers.size(), 1);
  config.servers_of = [of = std::move(config.servers_of)](Row row, std::vector<ServedPart>& parts) {
    of(row, parts);
    for (ServedPart& part : parts) part.numbers = 1;
  };
  return config;
}

void widen(StepTraffic& step, std::int32_t gradient, std::int32_t row) {
  const auto widen_rows = [row](std::vector<RowLoad>& loads) {
    for (RowLoad& load : loads) load.numbers *= row;
  };
  for (const Round round : kRounds) {
    const auto r = static_cast<std::size_t>(round);
    for (std::int32_t& numbers : step.gradients[r]) numbers *= gradient;
    for (std::int64_t& numbers : step.given[r]) numbers *= gradient;
    for (RowLoad& load : step.owned[r]) load.numbers *= gradient;
    widen_rows(step.updates[r]);
  }
  widen_rows(step.stores);
  for (auto& [batch, loads] : step.fetches) widen_rows(loads);
}

TrafficPlanner::TrafficPlanner(TrafficConfig config)
    : config_(std::move(config)), planner_(for_one_trainer(config_.planner)) {
  check(config_.planner.trainers >= 1 && config_.servers >= 1, "somebody trains and somebody serves");
  if (config_.first < 0 || config_.steps < 1) throw UserError("at least one step is counted");
}

void TrafficPlanner::begin_batch() {
  planner_.begin_batch();
  batches_.push_back({.runs = {}, .data = std::vector<std::int64_t>(config_.planner.trainers)});
}

void TrafficPlanner::add(int trainer, std::int64_t table, std::span<const std::int64_t> ids) {
  check(trainer >= 0 && trainer < config_.planner.trainers, "lookups belong to one of the trainers");
  planner_.add(0, table, ids);
  batches_.back().runs.push_back({trainer, std::ssize(ids)});
}

void TrafficPlanner::add_data(int trainer, std::int64_t bytes) {
  batches_.back().data[static_cast<std::size_t>(trainer)] += bytes;
}

bool TrafficPlanner::wants_batch() {
  while (!done_) {
    if (!planner_.next(plan_)) {
      if (!planner_.done()) return true;
      done_ = true;
    } else {
      count_plan();
    }
  }
  return false;
}

void TrafficPlanner::count_plan() {
  StepTraffic* const step = plan_.flush ? nullptr : counted(plan_.batch);
  if (step != nullptr) step->clean_up = plan_.clean_up;
  count_evictions(step);
  for (const Fetch& fetch : plan_.fetches)
    resident(fetch.slot) = {.owner = 0, .used = -1, .fetched = plan_.batch};
  if (plan_.flush) return;
  const BatchOfRuns batch = std::move(batches_.front());
  batches_.pop_front();
  find_users(batch);
  if (step != nullptr) {
    step->data = batch.data;
    for (const Run& run : batch.runs) step->lookups[static_cast<std::size_t>(run.trainer)] += run.lookups;
    totals_.rows += std::ssize(plan_.rows);
    totals_.lookups += plan_.lookups;
    totals_.hits += plan_.hits();
    totals_.resident = std::max(totals_.resident, plan_.resident);
  }
  for (std::size_t i = 0; i < plan_.rows.size(); ++i) count_row(i, step);
  // What is sent at the last counted step goes to users in its window.
  done_ = plan_.batch + 1 >= batches_needed();
}

// Lookups of a table come trainer by trainer, so the users of a row come in order.
void TrafficPlanner::find_users(const BatchOfRuns& batch) {
  const std::size_t rows = plan_.rows.size();
  const auto for_each_user = [&](auto visit) {
    last_user_.assign(rows, -1);
    std::size_t at = 0;
    for (const Run& run : batch.runs) {
      for (std::int64_t i = 0; i < run.lookups; ++i) {
        const std::uint32_t row = plan_.lookup_rows[at++];
        if (last_user_[row] == run.trainer) continue;
        last_user_[row] = run.trainer;
        visit(row, run.trainer);
      }
    }
  };
  first_user_.assign(rows + 1, 0);
  for_each_user([&](std::uint32_t row, int) { ++first_user_[row + 1]; });
  for (std::size_t i = 0; i < rows; ++i) first_user_[i + 1] += first_user_[i];
  users_.resize(first_user_[rows]);
  next_.assign(first_user_.begin(), first_user_.end() - 1);
  for_each_user([&](std::uint32_t row, int trainer) { users_[next_[row]++] = trainer; });
  for (std::size_t i = 0; i < rows; ++i)
    std::sort(users_.begin() + first_user_[i], users_.begin() + first_user_[i + 1]);
}

// As owner() of row.h, for any number of trainers.
int TrafficPlanner::owner_of(std::size_t row) const {
  const auto begin = users_.begin() + first_user_[row];
  const auto end = users_.begin() + first_user_[row + 1];
  if (end - begin == 1) return *begin;
  const auto first = static_cast<int>(
      std::uint64_t{hash(plan_.rows[row].row)} * static_cast<std::uint64_t>(config_.planner.trainers) >> 32);
  const auto found = std::lower_bound(begin, end, first);
  return found == end ? *begin : *found;
}

void TrafficPlanner::count_evictions(StepTraffic* step) {
  if (step == nullptr) return;
  for (const Eviction& eviction : plan_.evictions) {
    const int owner = resident(eviction.slot).owner;
    ++step->evicted[static_cast<std::size_t>(owner)];
    config_.servers_of(eviction.row, parts_);
    for (const ServedPart& part : parts_)
      step->stores[StepTraffic::pair(owner, part.server, step->servers)].add(part.numbers);
  }
}

void TrafficPlanner::count_row(std::size_t number, StepTraffic* step) {
  const PlannedRow& row = plan_.rows[number];
  const std::span<const std::int32_t> users(users_.data() + first_user_[number],
                                            users_.data() + first_user_[number + 1]);
  Resident& held = resident(row.slot);
  if (row.event == Event::prefetch) {
    count_fetch(row, users, held);
  } else {
    count_updates(row, users, held);
  }
  const int owner = owner_of(number);
  held.owner = owner;
  held.used = plan_.batch;
  if (step == nullptr) return;
  const bool again = row.next_use != kNever;
  const bool late = again && row.next_use != plan_.batch + 1;
  const Sync sync = again && !late ? Sync::now : again || users.size() > 1 ? Sync::later : Sync::none;
  ++totals_.by_sync[static_cast<std::size_t>(sync)];
  const auto round = static_cast<std::size_t>(late ? Round::late : Round::at_once);
  const std::int32_t size = numbers(config_.gradient_numbers, row.row);
  step->owned[round][static_cast<std::size_t>(owner)].add(size * static_cast<std::int32_t>(users.size()));
  for (const std::int32_t user : users) {
    ++step->rows[static_cast<std::size_t>(user)];
    step->given[round][static_cast<std::size_t>(user)] += size;
    if (user != owner) step->gradients[round][StepTraffic::pair(user, owner, step->trainers)] += size;
  }
}

void TrafficPlanner::count_fetch(const PlannedRow& row, std::span<const std::int32_t> users,
                                 const Resident& resident) {
  StepTraffic* const asked = counted(resident.fetched);
  if (asked == nullptr) return;
  std::vector<RowLoad>& fetches = asked->fetches[plan_.batch];
  fetches.resize(static_cast<std::size_t>(asked->trainers) * static_cast<std::size_t>(asked->servers));
  config_.servers_of(row.row, parts_);
  for (const std::int32_t user : users) {
    ++asked->fetched[static_cast<std::size_t>(user)];
    for (const ServedPart& part : parts_)
      fetches[StepTraffic::pair(user, part.server, asked->servers)].add(part.numbers);
  }
}

// The owner at the last use has sent the row to those who use it now.
void TrafficPlanner::count_updates(const PlannedRow& row, std::span<const std::int32_t> users,
                                   const Resident& resident) {
  StepTraffic* const sent = counted(resident.used);
  if (sent == nullptr) return;
  const auto round =
      static_cast<std::size_t>(plan_.batch == resident.used + 1 ? Round::at_once : Round::late);
  for (const std::int32_t user : users) {
    if (user != resident.owner)
      sent->updates[round][StepTraffic::pair(resident.owner, user, sent->trainers)].add(
          numbers(config_.row_numbers, row.row));
  }
}

StepTraffic* TrafficPlanner::counted(std::int32_t step) {
  const std::int32_t place = step - config_.first;
  if (place < 0 || place >= config_.steps) return nullptr;
  while (std::ssize(steps_) <= place) {
    const auto trainers = static_cast<std::size_t>(config_.planner.trainers);
    StepTraffic& traffic = steps_.emplace_back();
    traffic.batch = config_.first + static_cast<std::int32_t>(steps_.size()) - 1;
    traffic.trainers = config_.planner.trainers;
    traffic.servers = config_.servers;
    for (const Round round : kRounds) {
      traffic.gradients[static_cast<std::size_t>(round)].resize(trainers * trainers);
      traffic.updates[static_cast<std::size_t>(round)].resize(trainers * trainers);
      traffic.given[static_cast<std::size_t>(round)].resize(trainers);
      traffic.owned[static_cast<std::size_t>(round)].resize(trainers);
    }
    traffic.stores.resize(trainers * static_cast<std::size_t>(config_.servers));
    for (auto* each : {&traffic.evicted, &traffic.fetched, &traffic.rows}) each->resize(trainers);
    traffic.data.resize(trainers);
    traffic.lookups.resize(trainers);
  }
  return &steps_[static_cast<std::size_t>(place)];
}

TrafficPlanner::Resident& TrafficPlanner::resident(std::uint32_t slot) {
  if (slot >= residents_.size()) residents_.resize(slot + 1);
  return residents_[slot];
}

}  // namespace overture::lookahead
