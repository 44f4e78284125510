#include "overture/simulation/core_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace overture::simulation {

double CorePool::speed() const {
  const auto running = static_cast<double>(running_.size());
  return running <= cores_ ? 1 : static_cast<double>(cores_) / running;
}

void CorePool::catch_up() {
  const double past = static_cast<double>((events_.now() - since_).count()) * speed();
  for (Running& one : running_) one.left = std::max(0.0, one.left - past);
  since_ = events_.now();
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
  running_.push_back({thread, static_cast<double>(job.length.count()), std::move(job.ended)});
  job.started();
}

void CorePool::plan_next() {
  ++generation_;
  if (running_.empty()) return;
  const auto first = std::ranges::min_element(running_, {}, &Running::left);
  const Duration wait{static_cast<std::int64_t>(std::ceil(first->left / speed()))};
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
    queues_[one.thread].pop_front();
    take_next(one.thread);
  }
  plan_next();
  for (Running& one : due) one.ended();
}

}  // namespace overture::simulation
