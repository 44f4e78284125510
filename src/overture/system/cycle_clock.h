// The ranks' view of time, in whole cycles. Callbacks for the same cycle run together, in the order in which
// they were asked for, at the moment the first of them was due: ASTRA-sim's rule, on which its ties depend.
// All ranks share one clock: those that do the same do it in step, so ties fall the same way however many are
// simulated. With a cycle of one picosecond it is simply the event queue.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/units.h"
#include "overture/sim/event_queue.h"

namespace overture::system {

class CycleClock {
 public:
  // `events` outlives the clock.
  CycleClock(sim::EventQueue& events, Duration cycle) : events_(events), cycle_(cycle.count()) {}
  CycleClock(const CycleClock&) = delete;
  CycleClock& operator=(const CycleClock&) = delete;

  // The current cycle's start.
  Time now() const { return Time{Duration{tick(events_.now()) * cycle_}}; }

  // Runs `action` in the cycle that `delay` from now falls into. From inside a callback with no delay: after
  // the others of this cycle.
  void after(Duration delay, Action action);

 private:
  struct Pending {
    std::int64_t tick;
    std::vector<Action> actions;
  };

  std::int64_t tick(Time t) const { return t.time_since_epoch().count() / cycle_; }
  void wake(std::int64_t tick);

  sim::EventQueue& events_;
  std::int64_t cycle_;
  std::vector<Pending> pending_;  // a handful at a time, so a search beats a map
  std::vector<std::vector<Action>> spare_;
};

}  // namespace overture::system
