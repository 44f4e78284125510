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
