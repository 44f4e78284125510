// The clock of a simulation: what happens when. Components hold a reference to it and say when; the closure
// says what. Ties run in the order in which they were scheduled, so the same inputs give the same run.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/units.h"
#include "overture/sim/time_queue.h"

namespace overture::sim {

class EventQueue {
 public:
  Time now() const { return queue_.now(); }

  // Runs `action` at `when`, which is not in the past. A template, so that the closure is written to its slot
  // at once: to build an Action and then copy it takes longer than to queue it.
  template <std::convertible_to<Action> F>
  void at(Time when, F&& action) {
    if (free_ == nullptr) grow();
    Slot* const slot = free_;
    free_ = slot->next_free;
    std::construct_at(&slot->action, std::forward<F>(action));
    queue_.push(when, std::bit_cast<std::uint64_t>(slot));
  }
  template <std::convertible_to<Action> F>
  void after(Duration delay, F&& action) {
    at(now() + delay, std::forward<F>(action));
  }

  // Runs events until none is left.
  void run();
  // Runs the events up to and at `limit`, then stands at `limit`; false when no event is left.
  bool run_until(Time limit);
  // Runs the next event; false when there is none.
  bool step();
  // Runs the next event if it is due by `limit`, and else stands at `limit`; false when none is.
  bool step_until(Time limit);

  std::size_t pending() const { return queue_.size(); }
  // When the next event is due; the largest time if there is none.
  Time next_time() const { return queue_.next_time(); }
  std::uint64_t executed() const { return executed_; }

 private:
  union Slot {
    Slot() : next_free(nullptr) {}
    Slot* next_free;
    Action action;
  };

  void grow();
  bool advance(Time limit);
  void run_next();
  void free(Slot* slot);

  TimeQueue queue_;                       // of addresses of slots
  std::vector<std::vector<Slot>> slots_;  // no slot ever moves, so an action can schedule while it runs
  Slot* free_ = nullptr;
  std::uint64_t executed_ = 0;
};

}  // namespace overture::sim
