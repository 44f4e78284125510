// CorePool: threads of one machine that share its cores. Each does one thing at a time; when more of them
// compute than there are cores, all go on at the same, lower speed, as a fair scheduler has it.
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
      : cores_(cores), queues_(threads), events_(events) {}
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
    double left;  // picoseconds of computing
    Call ended;
  };

  double speed() const;
  void catch_up();
  void take_next(std::size_t thread);
  void plan_next();
  void end_due(std::uint64_t generation);

  int cores_;
  std::vector<std::deque<Job>> queues_;  // of every thread; the first is the one that runs
  sim::EventQueue& events_;
  std::vector<Running> running_;
  Time since_{};                  // when `left` was right
  std::uint64_t generation_ = 0;  // of the plan: an older one is void
};

}  // namespace overture::simulation
