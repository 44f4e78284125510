#include "overture/simulation/core_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace overture::simulation {

// Linux's slice: 0.7 ms, and as much more each time that the cores double (sysctl_sched_base_slice and
// get_update_sysctl_factor() in kernel/sched/fair.c).
CorePool::CorePool(int cores, std::size_t threads, sim::EventQueue& events)
    : cores_(static_cast<std::size_t>(cores)),
      threads_(threads),
      turn_(std::chrono::microseconds(700) * std::bit_width(static_cast<unsigned>(cores))),
      events_(events) {}

// Who goes on without a pause stays; the first of equal cores is the one where it was last.
std::size_t CorePool::core_for(const Thread& thread) const {
  if (thread.until == events_.now() && !cores_[thread.core].running) return thread.core;
  const auto least = std::ranges::min_element(cores_, {}, [&](const Core& core) { return threads_of(core); });
  if (threads_of(cores_[thread.core]) == threads_of(*least)) return thread.core;
  return static_cast<std::size_t>(least - cores_.begin());
}

void CorePool::add(std::size_t thread, Duration length, Call started, Call ended) {
  Thread& one = threads_[thread];
  one.jobs.push_back({length, std::move(started), std::move(ended)});
  if (one.jobs.size() > 1) return;
  const std::size_t core = core_for(one);
  const bool goes_on = one.until == events_.now() && one.core == core;
  one.core = core;
  Core& there = cores_[core];
  if (there.running || (!goes_on && !there.waiting.empty())) {
    there.waiting.push_back(thread);
    if (there.running) plan(core);
    return;
  }
  if (!goes_on) there.turn_began = events_.now();
  run(core, thread);
}

void CorePool::interrupt(Duration length) {
  const auto idle = std::ranges::find_if(cores_, [](const Core& core) { return !core.running; });
  if (idle != cores_.end()) {
    idle->free = std::max(idle->free, events_.now()) + length;
    return;
  }
  interrupted_ = (interrupted_ + 1) % cores_.size();
  Core& core = cores_[interrupted_];
  catch_up(core);
  job_of(core).left += length;
  plan(interrupted_);
}

void CorePool::run(std::size_t number, std::size_t thread) {
  Core& core = cores_[number];
  core.running = thread;
  core.since = std::max(core.free, events_.now());
  threads_[thread].core = number;
  plan(number);
  Job& job = job_of(core);
  if (job.started) std::exchange(job.started, {})();
}

void CorePool::catch_up(Core& core) {
  if (core.since >= events_.now()) return;
  job_of(core).left -= events_.now() - core.since;
  core.since = events_.now();
}

void CorePool::plan(std::size_t number) {
  Core& core = cores_[number];
  catch_up(core);
  Time next = core.since + job_of(core).left;
  if (!core.waiting.empty()) next = std::min(next, std::max(core.since, core.turn_began + turn_));
  events_.at(next, [this, number, generation = ++core.generation] { act(number, generation); });
}

void CorePool::act(std::size_t number, std::uint64_t generation) {
  Core& core = cores_[number];
  if (generation != core.generation) return;
  catch_up(core);
  if (job_of(core).left <= Duration{}) return end_job(number);
  core.waiting.push_back(*core.running);
  const std::size_t next = core.waiting.front();
  core.waiting.pop_front();
  core.turn_began = events_.now();
  run(number, next);
}

void CorePool::end_job(std::size_t number) {
  Core& core = cores_[number];
  const std::size_t thread = *std::exchange(core.running, std::nullopt);
  Thread& one = threads_[thread];
  const Call ended = std::move(one.jobs.front().ended);
  one.jobs.pop_front();
  one.until = events_.now();
  if (!one.jobs.empty()) {
    run(number, thread);
  } else {
    choose_soon(number);
  }
  ended();
}

// Not at once: who has ended something may go on with the next thing at the same instant.
void CorePool::choose_soon(std::size_t number) {
  if (std::exchange(cores_[number].chooses, true)) return;
  events_.after(Duration{1}, [this, number] { choose(number); });
}

// A thread that waits here, or the first one that waits at the core with most.
void CorePool::choose(std::size_t number) {
  Core& core = cores_[number];
  core.chooses = false;
  if (core.running) return;
  Core* from = &core;
  if (core.waiting.empty())
    from = &*std::ranges::max_element(cores_, {}, [](const Core& one) { return one.waiting.size(); });
  if (from->waiting.empty()) return;
  const std::size_t thread = from->waiting.front();
  from->waiting.pop_front();
  core.turn_began = events_.now();
  run(number, thread);
}

}  // namespace overture::simulation
