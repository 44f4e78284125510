#include "overture/sim/event_queue.h"

namespace overture::sim {

void EventQueue::at(Time when, Action action) {
  check(when >= now_, "an event is not scheduled in the past");
  heap_.push({when, scheduled_++, action});
}

bool EventQueue::step() {
  if (heap_.empty()) return false;
  Event event = heap_.top();
  heap_.pop();
  now_ = event.when;
  ++executed_;
  event.action();
  return true;
}

void EventQueue::run() {
  while (step()) {
  }
}

}  // namespace overture::sim
