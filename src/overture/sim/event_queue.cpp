#include "overture/sim/event_queue.h"

#include <algorithm>

namespace overture::sim {

void EventQueue::run() {
  while (step()) {
  }
}

bool EventQueue::run_until(Time limit) {
  while (advance(limit)) run_next();
  return pending() > 0;
}

bool EventQueue::step() {
  if (pending() == 0) return false;
  advance(Time::max());
  run_next();
  return true;
}

bool EventQueue::step_until(Time limit) {
  if (pending() == 0 || !advance(limit)) return false;
  run_next();
  return true;
}

bool EventQueue::advance(Time limit) {
  const bool sorted = !queue_.near().empty();
  if (!queue_.advance(limit)) return false;
  if (!sorted) {
    // With many events pending their slots are no longer in the cache, and waiting for one after the other
    // would be half of the run time.
    constexpr std::size_t kLines = 64;
    const auto near = queue_.near();
    for (const auto& entry : near.first(std::min(near.size(), kLines))) {
      __builtin_prefetch(std::bit_cast<Slot*>(entry.what));
    }
  }
  return true;
}

void EventQueue::run_next() {
  Slot* const slot = std::bit_cast<Slot*>(queue_.pop());
  ++executed_;
  slot->action();
  free(slot);
}

void EventQueue::grow() {
  slots_.emplace_back(64 + pending() / 4);
  for (Slot& slot : slots_.back()) free(&slot);
}

void EventQueue::free(Slot* slot) {
  slot->next_free = free_;
  free_ = slot;
}

}  // namespace overture::sim
