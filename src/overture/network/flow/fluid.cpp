#include "overture/network/flow/fluid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace overture::network::flow {
namespace {

constexpr double kPicoseconds = 1e12;  // in a second
// Flows that are this close on the clock of bytes end together: the clock's last bits.
constexpr double kSameEnd = 1e-5;

// When `left` bytes are through. A hair is taken off before rounding up, as the quotient of two doubles may
// lie a little above a whole number of picoseconds.
Time end_of(Time now, double left, double rate) {
  constexpr double kLongest = 1e18;
  if (rate <= 0) return Time::max();
  const double ps = left * kPicoseconds / rate;
  if (ps > kLongest) return Time::max();
  const double rounded = std::ceil(ps * (1 - 1e-14) - 1e-3);
  return now + Duration{std::max<std::int64_t>(0, static_cast<std::int64_t>(rounded))};
}

}  // namespace

LaneId Fluid::new_lane(Lane lane) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<LaneId>(lanes_.size()));
    lanes_.emplace_back();
  }
  const LaneId id = unused_.back();
  unused_.pop_back();
  lane.number = ++lane_count_;
  lanes_[id] = std::move(lane);
  return id;
}

LaneId Fluid::add(const FlowSet& flows, std::uint32_t flow_class, double weight) {
  const LaneId id = new_lane({.flows = &flows, .flow_class = flow_class, .weight = weight});
  attach(id);
  return id;
}

LaneId Fluid::copy(LaneId lane, std::uint32_t flow_class) {
  Lane other = lanes_[lane];
  other.flow_class = flow_class;
  active_ += other.streams.size();
  streams_ += other.streams.size();
  const LaneId id = new_lane(std::move(other));
  if (lanes_[id].end != Time::max()) due_.push({lanes_[id].end, {id, lanes_[id].number}});
  return id;
}

void Fluid::remove(LaneId lane) {
  mark_changed(lanes_[lane]);
  active_ -= lanes_[lane].streams.size();
  lanes_[lane].number = 0;
  lanes_[lane].streams.clear();
  unused_.push_back(lane);
}

void Fluid::reserve(std::uint32_t link_classes) {
  users_.resize(link_classes);
  local_.resize(link_classes);
  known_.resize(link_classes);
}

void Fluid::rebuild(std::uint32_t link_classes) {
  users_.clear();
  changed_.clear();
  reserve(link_classes);
  for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].number == 0) continue;
    attach(lane);
    if (!lanes_[lane].streams.empty()) mark_changed(lanes_[lane]);
  }
}

void Fluid::attach(LaneId lane) {
  for (const Use& use : uses(lanes_[lane])) users_[use.link].push_back({lane, lanes_[lane].number});
}

void Fluid::mark_changed(const Lane& lane) {
  for (const Use& use : uses(lane)) changed_.push_back(use.link);
}

void Fluid::advance(Lane& lane, Time now) const {
  lane.served += lane.rate * static_cast<double>((now - lane.since).count()) / kPicoseconds;
  lane.since = now;
}

void Fluid::start(LaneId id, double bytes, std::uint32_t run, Time now) {
  Lane& lane = lanes_[id];
  if (lane.streams.empty()) {
    lane.served = 0;
    lane.rate = 0;
    lane.since = now;
  }
  advance(lane, now);
  lane.streams.push_back({.end = lane.served + bytes, .number = ++streams_, .run = run});
  std::ranges::push_heap(lane.streams, std::greater<>());
  ++active_;
  mark_changed(lane);
}

// The lanes and links on which a change on `changed_` can be felt. A lane with a link that is shut stands
// still and passes nothing on, so that with rotors only the circuits that are open are looked at.
void Fluid::find_component(Time now) {
  component_.clear();
  component_links_.clear();
  seen_.resize(lanes_.size());
  const auto visit = [&](std::uint32_t link) {
    if (local_[link] != 0) return;
    component_links_.push_back(link);
    local_[link] = static_cast<std::uint32_t>(component_links_.size());
  };
  for (const std::uint32_t link : changed_) visit(link);
  changed_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    std::vector<Name>& users = users_[component_links_[i]];
    std::erase_if(users, [&](const Name& name) { return !in_use(name); });
    for (const Name& name : users) {
      const Lane& lane = lanes_[name.lane];
      if (seen_[name.lane] == solutions_ + 1 || lane.streams.empty()) continue;
      seen_[name.lane] = solutions_ + 1;
      if (std::ranges::any_of(uses(lane), [&](const Use& use) { return capacity_now(use.link, now) <= 0; })) {
        set_rate(name.lane, 0, now);
        continue;
      }
      component_.push_back(name.lane);
      for (const Use& use : uses(lane)) visit(use.link);
    }
  }
}

// Asked for once in a solution.
double Fluid::capacity_now(std::uint32_t link, Time now) {
  Known& known = known_[link];
  if (known.solution != solutions_ + 1)
    known = {.solution = solutions_ + 1, .capacity = capacity_(link, now)};
  return known.capacity;
}

void Fluid::solve(Time now) {
  if (changed_.empty()) return;
  find_component(now);
  uses_.clear();
  demands_.clear();
  std::size_t total = 0;
  for (const LaneId id : component_) total += uses(lanes_[id]).size();
  uses_.reserve(total);  // demands point into it
  for (const LaneId id : component_) {
    const Lane& lane = lanes_[id];
    const std::size_t first = uses_.size();
    const auto count = static_cast<double>(lane.streams.size());
    for (const Use& use : uses(lane)) {
      uses_.push_back({.link = local_[use.link] - 1, .load = use.load * count});
    }
    demands_.push_back({.uses = std::span(uses_).subspan(first), .weight = lane.weight});
  }
  capacities_.clear();
  for (const std::uint32_t link : component_links_) {
    capacities_.push_back(capacity_now(link, now));
    local_[link] = 0;
  }
  max_min_.solve(capacities_, demands_, rates_);
  for (std::size_t i = 0; i < component_.size(); ++i) set_rate(component_[i], rates_[i], now);
  ++solutions_;
  solved_lanes_ += component_.size();
}

void Fluid::set_rate(LaneId id, double rate, Time now) {
  Lane& lane = lanes_[id];
  const Stream& first = lane.streams.front();
  // As long as nothing changes for it the end stays to the picosecond, however often others are solved anew.
  if (rate == lane.rate && first.number == lane.first_stream) return;
  advance(lane, now);
  lane.rate = rate;
  lane.first_stream = first.number;
  const Time end = end_of(now, std::max(0.0, first.end - lane.served), rate);
  if (end == lane.end) return;
  lane.end = end;
  if (end != Time::max()) due_.push({end, {id, lane.number}});
}

// Rates that change often leave many ends behind that no longer hold.
void Fluid::forget_old_ends() {
  if (due_.size() < 64 + 4 * lanes_.size()) return;
  std::vector<Due> ends;
  for (LaneId id = 0; id < lanes_.size(); ++id) {
    const Lane& lane = lanes_[id];
    if (lane.number != 0 && lane.end != Time::max()) ends.push_back({lane.end, {id, lane.number}});
  }
  due_ = decltype(due_)(std::greater<>(), std::move(ends));
}

Time Fluid::next_end() {
  forget_old_ends();
  while (!due_.empty() && (!in_use(due_.top().lane) || lanes_[due_.top().lane.lane].end != due_.top().when)) {
    due_.pop();
  }
  return due_.empty() ? Time::max() : due_.top().when;
}

void Fluid::collect_finished(Time now) {
  finished_.clear();
  while (next_end() <= now) {
    const LaneId lane = due_.top().lane.lane;
    due_.pop();
    finish_first(lane, now);
  }
  std::ranges::sort(finished_, {}, &Finished::number);
}

void Fluid::finish_first(LaneId id, Time now) {
  Lane& lane = lanes_[id];
  advance(lane, now);
  lane.served = std::max(lane.served, lane.streams.front().end);
  while (!lane.streams.empty() && lane.streams.front().end <= lane.served + kSameEnd) {
    const Stream stream = lane.streams.front();
    finished_.push_back({.number = stream.number, .flow_class = lane.flow_class, .run = stream.run});
    std::ranges::pop_heap(lane.streams, std::greater<>());
    lane.streams.pop_back();
    --active_;
  }
  lane.end = Time::max();
  lane.first_stream = 0;
  mark_changed(lane);
}

double Fluid::rate_on(std::uint32_t link_class) const {
  double sum = 0;
  if (link_class >= users_.size()) return 0;
  for (const Name& name : users_[link_class]) {
    if (!in_use(name)) continue;
    const Lane& lane = lanes_[name.lane];
    for (const Use& use : uses(lane)) {
      if (use.link == link_class) sum += use.load * lane.rate * static_cast<double>(lane.streams.size());
    }
  }
  return sum;
}

}  // namespace overture::network::flow
