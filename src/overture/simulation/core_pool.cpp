#include "overture/simulation/core_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace overture::simulation {

void CorePool::catch_up() {
  const auto past = static_cast<double>((events_.now() - since_).count());
  for (Running& one : running_) one.left = std::max(0.0, one.left - past * speed(one));
  since_ = events_.now();
}

// Who goes on without a pause stays; the first of equal cores is the one where it was last.
std::size_t CorePool::core_for(std::size_t thread) const {
  const Last& last = last_[thread];
  if (last.until == events_.now()) return last.core;
  const auto least = static_cast<std::size_t>(std::ranges::min_element(on_core_) - on_core_.begin());
  return on_core_[last.core] == on_core_[least] ? last.core : least;
}

void CorePool::add(std::size_t thread, Duration length, Call started, Call ended) {
  queues_[thread].push_back({length, std::move(started), std::move(ended)});
  if (queues_[thread].size() > 1) return;
  catch_up();
  take_next(thread);
  plan_next();
}

void CorePool::take_next(std::size_t thread) {
  if (queues_[thread].empty()) return;
  Job& job = queues_[thread].front();
  const std::size_t core = core_for(thread);
  ++on_core_[core];
  running_.push_back({thread, core, static_cast<double>(job.length.count()), std::move(job.ended)});
  job.started();
}

void CorePool::plan_next() {
  ++generation_;
  if (running_.empty()) return;
  double first = std::numeric_limits<double>::max();
  for (const Running& one : running_) first = std::min(first, one.left / speed(one));
  const Duration wait{static_cast<std::int64_t>(std::ceil(first))};
  events_.after(wait, [this, generation = generation_] { end_due(generation); });
}

// Ties end in the order in which they were begun.
void CorePool::end_due(std::uint64_t generation) {
  if (generation != generation_) return;
  catch_up();
  constexpr double kNothing = 0.5;  // picoseconds
  std::vector<Running> due;
  for (Running& one : running_) {
    if (one.left <= kNothing) due.push_back(std::move(one));
  }
  std::erase_if(running_, [](const Running& one) { return one.left <= kNothing; });
  for (Running& one : due) {
    --on_core_[one.core];
    last_[one.thread] = {.core = one.core, .until = events_.now()};
    queues_[one.thread].pop_front();
    take_next(one.thread);
    if (on_core_[one.core] == 0) balance_soon();
  }
  plan_next();
  for (Running& one : due) one.ended();
}

// Not at once: what has ended may go on with the next thing at the same instant.
void CorePool::balance_soon() {
  if (balancing_ || running_.size() < 2) return;
  balancing_ = true;
  events_.after(Duration{1}, [this] { balance(); });
}

// Idle cores take the thread that came last from the core that has most.
void CorePool::balance() {
  balancing_ = false;
  catch_up();
  while (true) {
    const auto idle = std::ranges::find(on_core_, 0);
    const auto most = std::ranges::max_element(on_core_);
    if (idle == on_core_.end() || *most < 2) break;
    const auto from = static_cast<std::size_t>(most - on_core_.begin());
    const auto moved = std::find_if(running_.rbegin(), running_.rend(),
                                    [&](const Running& one) { return one.core == from; });
    moved->core = static_cast<std::size_t>(idle - on_core_.begin());
    --*most;
    ++*idle;
  }
  plan_next();
}

}  // namespace overture::simulation
