// CorePool: threads of one machine that share its cores. Each does one thing at a time. As Linux has it, a
// thread that wakes up goes to an idle core, its last one if it can, otherwise to the core with the fewest
// threads; it stays there, and those of a core share it fairly. A core that falls idle takes a thread from
// one that has several.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "overture/base/units.h"
#include "overture/sim/event_queue.h"

namespace overture::simulation {

class CorePool {
 public:
  using Call = std::function<void()>;
  // The events outlive it.
  CorePool(int cores, std::size_t threads, sim::EventQueue& events)
      : on_core_(static_cast<std::size_t>(cores)), queues_(threads), last_(threads), events_(events) {}
  CorePool(const CorePool&) = delete;
  CorePool& operator=(const CorePool&) = delete;

  // Calls `started` when the thread takes up the work, and `ended` when it has computed for `length`.
  void add(std::size_t thread, Duration length, Call started, Call ended);

 private:
  struct Job {
    Duration length;
    Call started;
    Call ended;
  };
  struct Running {
    std::size_t thread;
    std::size_t core;
    double left;  // picoseconds of computing
    Call ended;
  };
  // Where a thread ran last, and until when.
  struct Last {
    std::size_t core = 0;
    Time until = Time::min();
  };

  double speed(const Running& one) const { return 1.0 / on_core_[one.core]; }
  std::size_t core_for(std::size_t thread) const;
  void catch_up();
  void balance_soon();
  void balance();
  void take_next(std::size_t thread);
  void plan_next();
  void end_due(std::uint64_t generation);

  std::vector<int> on_core_;             // jobs that run there
  std::vector<std::deque<Job>> queues_;  // of every thread; the first is the one that runs
  std::vector<Last> last_;               // of every thread
  sim::EventQueue& events_;
  std::vector<Running> running_;
  bool balancing_ = false;
  Time since_{};                  // when `left` was right
  std::uint64_t generation_ = 0;  // of the plan: an older one is void
};

}  // namespace overture::simulation
