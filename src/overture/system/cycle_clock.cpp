#include "overture/system/cycle_clock.h"

#include <algorithm>
#include <utility>

#include "overture/base/check.h"

namespace overture::system {

void CycleClock::after(Duration delay, Action action) {
  check_horizon(std::max(events_.now(), Time{delay}));
  const Time when = events_.now() + delay;
  if (cycle_ == 1) {
    events_.at(when, action);
    return;
  }
  const std::int64_t due = tick(when);
  for (Pending& pending : pending_) {
    if (pending.tick == due) {
      pending.actions.push_back(action);
      return;
    }
  }
  std::vector<Action> actions;
  if (!spare_.empty()) {
    actions = std::move(spare_.back());
    spare_.pop_back();
  }
  actions.push_back(action);
  pending_.push_back({due, std::move(actions)});
  events_.at(when, [this, due] { wake(due); });
}

void CycleClock::wake(std::int64_t due) {
  const auto of_tick = [due](const Pending& pending) { return pending.tick == due; };
  // Callbacks may add to this cycle's list and to the list of lists, so nothing is held across a call.
  for (std::size_t i = 0;; ++i) {
    const auto pending = std::find_if(pending_.begin(), pending_.end(), of_tick);
    check(pending != pending_.end(), "a cycle that wakes has something to do");
    if (i == pending->actions.size()) {
      pending->actions.clear();
      spare_.push_back(std::move(pending->actions));
      *pending = std::move(pending_.back());
      pending_.pop_back();
      return;
    }
    Action action = pending->actions[i];
    action();
  }
}

}  // namespace overture::system
