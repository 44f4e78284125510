// The clock of a simulation: what happens when. Components hold a reference to it and say when; the closure
// says what. Ties run in the order in which they were scheduled, so the same inputs give the same run.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/check.h"
#include "overture/base/units.h"

namespace overture::sim {

class EventQueue {
 public:
  Time now() const { return now_; }

  // Runs `action` at `when`, which is not in the past.
  void at(Time when, Action action);
  void after(Duration delay, Action action) { at(now_ + delay, action); }

  // Runs events until none is left.
  void run();
  // Runs the next event; false when there is none.
  bool step();

  std::size_t pending() const { return heap_.size(); }
  std::uint64_t executed() const { return executed_; }

 private:
  struct Event {
    Time when;
    std::uint64_t order;
    Action action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
  Time now_{};
  std::uint64_t scheduled_ = 0;
  std::uint64_t executed_ = 0;
};

}  // namespace overture::sim
