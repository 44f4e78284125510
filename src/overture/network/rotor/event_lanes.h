// The packet engine's events. Nearly all lie one of a few constant delays ahead (a packet's time, a wire's),
// so those of one delay come in time order and wait in a plain queue; only odd ones need a heap. All events
// of one instant are taken out together and put in their order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

namespace overture::network::rotor {

class EventLanes {
 public:
  struct Event {
    std::int64_t when = 0;
    std::uint64_t order = 0;   // among events of one instant
    std::uint64_t serial = 0;  // then in the order in which they were pushed
    std::uint32_t id = 0;
  };
  static constexpr std::size_t kLanes = 3;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit EventLanes(const std::array<std::int64_t, kLanes>& delays) : delays_(delays) {}

  // An event at `when`, which is not before the last one popped.
  void push(std::int64_t when, std::uint64_t order, std::uint32_t id) {
    const Event event{.when = when, .order = order, .serial = serial_++, .id = id};
    if (when == now_ && head_ < instant_.size()) {
      instant_.insert(std::upper_bound(instant_.begin() + static_cast<std::ptrdiff_t>(head_), instant_.end(),
                                       event, before),
                      event);
      return;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (when - now_ == delays_[lane]) return lanes_[lane].push_back(event);
    }
    odd_.push(event);
  }

  std::int64_t next_time() const {
    if (head_ < instant_.size()) return now_;
    std::int64_t next = odd_.empty() ? kNever : odd_.top().when;
    for (const auto& lane : lanes_) {
      if (!lane.empty()) next = std::min(next, lane.front().when);
    }
    return next;
  }

  // The next event; there is one.
  Event pop() {
    if (head_ == instant_.size()) gather();
    return instant_[head_++];
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.order != b.order ? a.order < b.order : a.serial < b.serial;
  }
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : before(b, a);
    }
  };

  void gather() {
    const std::int64_t next = next_time();
    now_ = next;
    instant_.clear();
    head_ = 0;
    for (auto& lane : lanes_) {
      for (; !lane.empty() && lane.front().when == next; lane.pop_front()) instant_.push_back(lane.front());
    }
    for (; !odd_.empty() && odd_.top().when == next; odd_.pop()) instant_.push_back(odd_.top());
    if (instant_.size() > 1) std::sort(instant_.begin(), instant_.end(), before);
  }

  std::array<std::int64_t, kLanes> delays_;
  std::array<std::deque<Event>, kLanes> lanes_;
  std::priority_queue<Event, std::vector<Event>, Later> odd_;
  std::vector<Event> instant_;  // all at now_, from head_ on still to come
  std::size_t head_ = 0;
  std::int64_t now_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace overture::network::rotor
