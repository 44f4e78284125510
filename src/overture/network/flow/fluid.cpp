#include "overture/network/flow/fluid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace overture::network::flow {
namespace {

constexpr double kPicoseconds = 1e12;  // in a second
// Flows that are this close on the clock of bytes end together: the clock's last bits.
constexpr double kSameEnd = 1e-5;

// If many lanes, and more than half of all, were one component, all are solved without looking for a while.
constexpr int kSolutionsWithoutSearch = 15;

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
  lane.number = ++lane_count_;
  return lanes_.keep(std::move(lane));
}

LaneId Fluid::add(const FlowSet& flows, std::uint32_t flow_class, double weight) {
  return new_lane({.flows = &flows, .flow_class = flow_class, .weight = weight});
}

LaneId Fluid::copy(LaneId lane, std::uint32_t flow_class) {
  settle(lane);
  Lane other = lanes_[lane];
  other.flow_class = flow_class;
  active_ += other.streams.size();
  streams_ += other.streams.size();
  const LaneId id = new_lane(std::move(other));
  if (!lanes_[id].streams.empty()) fill(id);
  if (lanes_[id].end != Time::max()) due_.push({lanes_[id].end, {id, lanes_[id].number}});
  return id;
}

void Fluid::remove(LaneId lane) {
  settle(lane);
  mark_changed(lanes_[lane]);
  active_ -= lanes_[lane].streams.size();
  if (!lanes_[lane].streams.empty()) detach(lane);
  lanes_[lane].number = 0;
  lanes_[lane].streams.clear();
  lanes_.give_back(lane);
}

void Fluid::rebuild(std::uint32_t link_classes) {
  for (const LaneId lane : emptied_) settle(lane);
  emptied_.clear();
  users_.clear();
  changed_.clear();
  users_.resize(link_classes);
  local_.resize(link_classes);
  known_.resize(link_classes);
  bytes_.assign(link_classes, 0);
  needed_.reset(link_classes, steady_ ? [this](std::uint32_t link) { return capacity_(link, {}); }
                                      : NeededLinks::Capacity());
  // All at once: a link that the last lane makes needed is known before the first lane is looked at.
  std::vector<LaneId> active;
  std::vector<Needed> since(link_classes);
  std::uint32_t found = 0;
  for (LaneId id = 0; id < lanes_.size(); ++id) {
    Lane& lane = lanes_[id];
    lane.needed.clear();
    if (lane.number == 0 || lane.streams.empty()) continue;
    active.push_back(id);
    needed_.add(flow_class(lane), [&](std::uint32_t link) { since[link] = {.by = id, .order = ++found}; });
  }
  for (const LaneId id : active) {
    lanes_[id].bottleneck = kNoLink;
    add_needed(id, since);
    mark_changed(lanes_[id]);
  }
}

// Links in the order in which attach() finds them, lane after lane.
void Fluid::add_needed(LaneId id, std::span<const Needed> since) {
  Lane& lane = lanes_[id];
  std::vector<Use> later;
  for (const Use& use : uses(lane)) {
    if (!needed_.needed(use.link)) continue;
    (since[use.link].by <= id ? lane.needed : later).push_back(use);
    users_[use.link].push_back({{id, lane.number}, use.load});
  }
  std::ranges::sort(later, {}, [&](const Use& use) { return since[use.link].order; });
  lane.needed.insert(lane.needed.end(), later.begin(), later.end());
}

void Fluid::attach(LaneId id) {
  Lane& lane = lanes_[id];
  lane.needed.clear();
  needed_.add(flow_class(lane), [&](std::uint32_t link) { look_at(link); });
  for (const Use& use : uses(lane)) {
    if (!needed_.needed(use.link)) continue;
    lane.needed.push_back(use);
    users_[use.link].push_back({{id, lane.number}, use.load});
  }
}

// A link that has not been needed so far.
void Fluid::look_at(std::uint32_t link) {
  for (LaneId id = 0; id < lanes_.size(); ++id) {
    Lane& lane = lanes_[id];
    if (lane.needed.empty()) continue;
    if (const Use* use = use_of(uses(lane), link)) {
      lane.needed.push_back(*use);
      users_[link].push_back({{id, lane.number}, use->load});
    }
  }
}

// Whoever knows it by its number forgets it.
void Fluid::detach(LaneId id) {
  Lane& lane = lanes_[id];
  lane.number = ++lane_count_;
  lane.needed.clear();
  lanes_[filled_.back()].place = lane.place;
  filled_[lane.place] = filled_.back();
  filled_.pop_back();
}

void Fluid::fill(LaneId id) {
  lanes_[id].place = static_cast<std::uint32_t>(filled_.size());
  filled_.push_back(id);
}

void Fluid::mark_changed(const Lane& lane) {
  for (const Use& use : lane.needed) changed_.push_back(use.link);
}

// Before the rate or the number of streams changes.
void Fluid::advance(Lane& lane, Time now) {
  if (counts_bytes_) count(lane, now);
  lane.served += lane.rate * static_cast<double>((now - lane.since).count()) / kPicoseconds;
  lane.since = now;
}

void Fluid::count(Lane& lane, Time now) {
  const double sent =
      lane.rate * sharing(lane) * static_cast<double>((now - lane.counted).count()) / kPicoseconds;
  lane.counted = now;
  for (const Use& use : uses(lane)) bytes_[use.link] += use.load * sent;
}

std::vector<double> Fluid::take_bytes(Time now) {
  for (const LaneId lane : filled_) count(lanes_[lane], now);
  return std::exchange(bytes_, std::vector<double>(users_.size()));
}

void Fluid::start(LaneId id, double bytes, std::uint32_t run, Time now) {
  if (go_on(id, bytes, run, now)) return;
  Lane& lane = lanes_[id];
  const bool waits = in_turn_ && !lane.streams.empty();
  if (lane.streams.empty()) {
    lane.served = lane.last = 0;
    lane.rate = 0;
    lane.bottleneck = kNoLink;
    lane.since = now;
    lane.counted = now;
    attach(id);
    fill(id);
  }
  if (!waits) advance(lane, now);
  lane.last = bytes + (waits ? lane.last : lane.served);
  lane.streams.push_back({.end = lane.last, .number = ++streams_, .run = run});
  std::ranges::push_heap(lane.streams, std::greater<>());
  ++active_;
  if (!waits) mark_changed(lane);
}

// Its last stream is through. The next one mostly starts at once, and then nobody else notices.
void Fluid::empty(LaneId id) {
  Lane& lane = lanes_[id];
  lane.first_change = changed_.size();
  mark_changed(lane);
  lane.end_change = changed_.size();
  if (!steady_ || !in_turn_) return detach(id);
  lane.emptied = true;
  emptied_.push_back(id);
}

// Nothing has started in it.
void Fluid::settle(LaneId id) {
  if (!lanes_[id].emptied) return;
  lanes_[id].emptied = false;
  detach(id);
}

// A stream that starts when the last one ends has its rate. False if it does not.
bool Fluid::go_on(LaneId id, double bytes, std::uint32_t run, Time now) {
  Lane& lane = lanes_[id];
  if (!lane.emptied) return false;
  if (lane.since != now) {
    settle(id);
    return false;
  }
  lane.emptied = false;
  for (std::size_t i = lane.first_change; i < lane.end_change; ++i) changed_[i] = kNoLink;
  lane.served = 0;
  lane.last = bytes;
  lane.streams.push_back({.end = bytes, .number = ++streams_, .run = run});
  ++active_;
  send_next(id, now);
  return true;
}

double Fluid::withdraw(LaneId id, std::uint32_t run, Time now) {
  Lane& lane = lanes_[id];
  advance(lane, now);
  const auto stream = std::ranges::find(lane.streams, run, &Stream::run);
  const double left = std::max(0.0, stream->end - lane.served);
  lane.streams.erase(stream);
  std::ranges::make_heap(lane.streams, std::greater<>());
  --active_;
  lane.end = Time::max();
  lane.first_stream = 0;
  mark_changed(lane);
  if (lane.streams.empty()) detach(id);
  return left;
}

// The lanes and links on which a change on `changed_` can be felt. A lane with a link that is shut stands
// still and, once it does, passes nothing on, so that with rotors only the circuits that are open are looked
// at.
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
  // What is relayed goes everywhere.
  for (const Relays& each : relays_) {
    for (const auto& side : {each.out, each.in}) std::ranges::for_each(side, visit);
  }
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    for (const User& user : users_now(component_links_[i])) {
      const Name& name = user.name;
      if (seen_[name.lane] == solutions_ + 1) continue;
      seen_[name.lane] = solutions_ + 1;
      const Lane& lane = lanes_[name.lane];
      if (!steady_ && stands_still(lane, now)) {
        if (lane.rate > 0) std::ranges::for_each(lane.needed, visit, &Use::link);
        set_rate(name.lane, 0, now);
        continue;
      }
      component_.push_back(name.lane);
      for (const Use& use : lane.needed) visit(use.link);
    }
  }
}

// Those that are still there.
const std::vector<Fluid::User>& Fluid::users_now(std::uint32_t link) {
  std::vector<User>& users = users_[link];
  std::erase_if(users, [&](const User& user) { return !in_use(user.name); });
  return users;
}

bool Fluid::stands_still(const Lane& lane, Time now) {
  return std::ranges::any_of(lane.needed, [&](const Use& use) { return capacity_now(use.link, now) <= 0; });
}

// Asked for once in a solution.
double Fluid::capacity_now(std::uint32_t link, Time now) {
  Known& known = known_[link];
  if (known.solution != solutions_ + 1)
    known = {.solution = solutions_ + 1, .capacity = capacity_(link, now)};
  return known.capacity;
}

void Fluid::set_relays(std::vector<RelayLink> links, std::vector<Relays> relays, double most_each) {
  relay_links_ = std::move(links);
  relays_ = std::move(relays);
  most_each_ = most_each;
}

void Fluid::solve(Time now) {
  if (nothing_changed()) return note_first_ends();
  const bool all = unsearched_ > 0;
  if (all) {
    take_all(now);
    max_min_.solve(capacities_, demands_, rates_);
  } else if (!solve_around_changes(now)) {
    find_component(now);
    add_demands(now);
    max_min_.solve(capacities_, demands_, rates_);
    if (!relays_.empty()) add_relayed();
  }
  for (const std::uint32_t link : component_links_) local_[link] = 0;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    const std::uint32_t full = max_min_.bottleneck(i);
    lanes_[component_[i]].bottleneck = all ? full : component_links_[full];
    set_rate(component_[i], rates_[i], now);
  }
  note_ends();
  ++solutions_;
  solved_lanes_ += component_.size();
}

bool Fluid::nothing_changed() {
  for (const LaneId lane : emptied_) settle(lane);
  emptied_.clear();
  std::erase(changed_, kNoLink);
  return changed_.empty();
}

// More than the component, where looking for it would cost more than solving the rest again.
void Fluid::take_all(Time now) {
  changed_.clear();
  component_links_.clear();
  component_ = filled_;
  demands_.clear();
  for (const LaneId id : component_) {
    const Lane& lane = lanes_[id];
    demands_.push_back({.uses = lane.needed, .weight = lane.weight, .count = sharing(lane)});
  }
  capacities_.clear();
  for (std::uint32_t link = 0; link < users_.size(); ++link) capacities_.push_back(capacity_now(link, now));
}

void Fluid::add_demands(Time now) {
  demands_of_component();
  capacities_.clear();
  for (const std::uint32_t link : component_links_) capacities_.push_back(capacity_now(link, now));
}

void Fluid::demands_of_component() {
  uses_.clear();
  demands_.clear();
  std::size_t total = 0;
  for (const LaneId id : component_) total += lanes_[id].needed.size();
  uses_.reserve(total);  // demands point into it
  for (const LaneId id : component_) {
    const Lane& lane = lanes_[id];
    const std::size_t first = uses_.size();
    for (const Use& use : lane.needed) uses_.push_back({.link = local_[use.link] - 1, .load = use.load});
    demands_.push_back(
        {.uses = std::span(uses_).subspan(first), .weight = lane.weight, .count = sharing(lane)});
  }
}

// After a solution for all lanes only the first ends matter: everything is solved again then.
void Fluid::note_ends() {
  if (unsearched_ == 0) {
    const bool almost_all = component_.size() >= kManyLanes && 2 * component_.size() > filled_.size();
    unsearched_ = steady_ && almost_all ? kSolutionsWithoutSearch : 0;
    return;
  }
  first_ends_known_ = false;
  if (--unsearched_ == 0) return note_all_ends();
  note_first_ends();
}

void Fluid::note_first_ends() {
  if (unsearched_ == 0 || first_ends_known_) return;
  first_ends_known_ = true;
  Time first = Time::max();
  for (const LaneId id : filled_) first = std::min(first, lanes_[id].end);
  if (first == Time::max()) return;
  for (const LaneId id : filled_) {
    if (lanes_[id].end == first) due_.push({first, {id, lanes_[id].number}});
  }
}

// Second hops push direct traffic aside, which leaves room at its receivers, where more can be relayed. Done
// to the end, a ring would be up to 18 % too fast; RotorLB gets about as far as two rounds do (the numbers
// are in docs/reference/flow-backend.md).
void Fluid::add_relayed() {
  constexpr int kRounds = 2;
  component_relay_links_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    component_relay_links_.push_back(relay_links_[component_links_[i]]);
    component_relay_links_.back().capacity = capacities_[i];
  }
  component_relays_ = relays_;
  for (Relays& each : component_relays_) {
    for (auto* side : {&each.out, &each.in}) {
      for (std::uint32_t& link : *side) link = local_[link] - 1;
    }
  }
  relayed_.clear();
  relayed_demands_.clear();
  for (std::size_t i = 0; i < component_.size(); ++i) {
    const auto on_circuit = [&](const Use& use) {
      return component_relay_links_[use.link].role == LinkRole::circuit;
    };
    if (std::ranges::none_of(demands_[i].uses, on_circuit)) continue;
    const Lane& lane = lanes_[component_[i]];
    const auto flows = static_cast<double>(lane.flows->classes()[lane.flow_class].flows);
    relayed_.push_back({.uses = demands_[i].uses, .flows = flows, .count = demands_[i].count});
    relayed_demands_.push_back(i);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (RelayLink& link : component_relay_links_) link.direct = 0;
    for (std::size_t i = 0; i < demands_.size(); ++i) {
      for (const Use& use : demands_[i].uses) {
        component_relay_links_[use.link].direct += use.load * demands_[i].count * rates_[i];
      }
    }
    fill_.solve(component_relay_links_, component_relays_, relayed_, most_each_, relayed_rates_);
    left_ = capacities_;
    for (std::size_t i = 0; i < left_.size(); ++i) left_[i] -= fill_.second_hops()[i];
    max_min_.solve(left_, demands_, rates_);
  }
  for (std::size_t i = 0; i < relayed_.size(); ++i) {
    double& rate = rates_[relayed_demands_[i]];
    lanes_[component_[relayed_demands_[i]]].relayed = relayed_rates_[i] > rate;
    rate += relayed_rates_[i];
  }
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
  if (unsearched_ == 0 && end != Time::max()) due_.push({end, {id, lane.number}});
}

void Fluid::note_all_ends() {
  std::vector<Due> ends;
  for (const LaneId id : filled_) {
    if (lanes_[id].end != Time::max()) ends.push_back({lanes_[id].end, {id, lanes_[id].number}});
  }
  due_ = decltype(due_)(std::greater<>(), std::move(ends));
}

Time Fluid::next_end() {
  // Rates that change often leave many ends behind that no longer hold.
  if (due_.size() > 64 + 4 * lanes_.size()) note_all_ends();
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
    finished_.push_back(
        {.number = stream.number, .flow_class = lane.flow_class, .run = stream.run, .relayed = lane.relayed});
    std::ranges::pop_heap(lane.streams, std::greater<>());
    lane.streams.pop_back();
    --active_;
  }
  lane.end = Time::max();
  lane.first_stream = 0;
  if (lane.streams.empty()) return empty(id);
  if (in_turn_) return send_next(id, now);
  mark_changed(lane);
}

// Its rate is the last one's, and nobody else notices. After a solution for all lanes only the first ends are
// known, and they have to be found again.
void Fluid::send_next(LaneId id, Time now) {
  Lane& lane = lanes_[id];
  lane.first_stream = lane.streams.front().number;
  lane.end = end_of(now, std::max(0.0, lane.streams.front().end - lane.served), lane.rate);
  if (lane.end != Time::max()) due_.push({lane.end, {id, lane.number}});
  first_ends_known_ = false;
}

double Fluid::rate_on(std::uint32_t link_class) const {
  double sum = 0;
  for (const Lane& lane : lanes_) {
    if (lane.number == 0 || lane.streams.empty()) continue;
    for (const Use& use : uses(lane)) {
      if (use.link == link_class) sum += use.load * lane.rate * sharing(lane);
    }
  }
  return sum;
}

}  // namespace overture::network::flow
