// CorePool: threads of one machine that share its cores. Each does one thing at a time. As Linux has it, a
// thread that wakes up goes to an idle core, its last one if it can; where all cores are busy it waits for
// its turn at the core with the fewest threads. Who computes goes on until it sleeps, or until its turn is
// over and somebody waits. A core that falls idle takes a thread that waits for another one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "overture/base/units.h"
#include "overture/sim/event_queue.h"

namespace overture::simulation {

class CorePool {
 public:
  using Call = std::function<void()>;
  // The events outlive it.
  CorePool(int cores, std::size_t threads, sim::EventQueue& events);
  CorePool(const CorePool&) = delete;
  CorePool& operator=(const CorePool&) = delete;

  // Calls `started` when the thread takes up the work, and `ended` when it has computed for `length`.
  void add(std::size_t thread, Duration length, Call started, Call ended);
  // Computing that no thread asked for and that waits for nobody: on an idle core, or in place of a thread.
  void interrupt(Duration length);

 private:
  struct Job {
    Duration left;
    Call started;  // until it has begun
    Call ended;
  };
  struct Thread {
    std::deque<Job> jobs{};    // the first is under way, if its turn has come
    std::size_t core = 0;      // where it ran last, or runs, or waits
    Time until = Time::min();  // when it ran last
  };
  struct Core {
    std::optional<std::size_t> running{};
    std::deque<std::size_t> waiting{};
    Time turn_began{};
    Time since{};                  // when what is left of the running thread's work was right
    Time free{};                   // of interrupts
    bool chooses = false;          // soon, who is next
    std::uint64_t generation = 0;  // of the plan: an older one is void
  };

  std::size_t core_for(const Thread& thread) const;
  std::size_t threads_of(const Core& core) const { return core.waiting.size() + (core.running ? 1 : 0); }
  Job& job_of(const Core& core) { return threads_[*core.running].jobs.front(); }
  void run(std::size_t core, std::size_t thread);
  void catch_up(Core& core);
  void plan(std::size_t core);
  void act(std::size_t core, std::uint64_t generation);
  void end_job(std::size_t core);
  void choose_soon(std::size_t core);
  void choose(std::size_t core);

  std::vector<Core> cores_;
  std::vector<Thread> threads_;
  Duration turn_;  // how long a thread computes while others wait for its core
  sim::EventQueue& events_;
  std::size_t interrupted_ = 0;  // the core that was last
};

}  // namespace overture::simulation
