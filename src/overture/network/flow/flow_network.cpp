#include "overture/network/flow/flow_network.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/network/named_links.h"

namespace overture::network::flow {
namespace {

// Classes of links beyond those at the start that may stay when the network falls idle.
constexpr std::uint32_t kFewClasses = 64;

// As many messages sent at one instant are looked at one by one; more are searched for symmetry.
constexpr std::size_t kFewMessages = 4;

std::uint64_t pair_of(const Message& message) {
  return static_cast<std::uint64_t>(index(message.from)) << 32 |
         static_cast<std::uint32_t>(index(message.to));
}

// Links are told apart by their rate, their schedule and their role for relayed traffic; those that fail,
// from all others.
std::vector<std::uint32_t> kinds_of_links(const topology::Graph& graph, const FlowConfig& config,
                                          const std::optional<LinkFaults>& faults) {
  std::map<std::tuple<std::int64_t, int, LinkRole, int>, std::uint32_t> kinds;
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < graph.links().size(); ++i) {
    const int schedule = config.schedule_of_link.empty() ? -1 : config.schedule_of_link[i];
    const LinkRole role = config.relay.role_of_link.empty() ? LinkRole::none : config.relay.role_of_link[i];
    const int fault = faults && faults->is_faulty(static_cast<int>(i)) ? static_cast<int>(i) : -1;
    const std::tuple key(graph.links()[i].wire.rate.bits_per_second(), schedule, role, fault);
    result.push_back(kinds.try_emplace(key, static_cast<std::uint32_t>(kinds.size())).first->second);
  }
  return result;
}

}  // namespace

FlowNetwork::FlowNetwork(topology::Topology topology, const FlowConfig& config, sim::EventQueue& events,
                         const Faults& faults)
    : Network(topology.graph.hosts(), events),
      topology_((require_sound(config, topology.graph), std::move(topology))),
      config_(config),
      faults_(faults.touch_network() ? std::optional<LinkFaults>(std::in_place, faults, topology_.graph)
                                     : std::nullopt),
      ways_(topology_, config.paths, config.seed),
      symmetry_(ways_, kinds_of_links(topology_.graph, config, faults_), config.tolerance),
      first_link_classes_(symmetry_.link_classes()),
      fluid_([this](std::uint32_t link_class, Time when) { return capacity(link_class, when); },
             config.schedules.empty() && config.relay.hosts.empty() && !faults_,
             config.connections == ConnectionUse::per_pair) {
  classes_changed();
  if (faults_) change_routes();
}

// Of links, and so of lanes and of the hosts that relay.
void FlowNetwork::classes_changed() {
  fluid_.rebuild(symmetry_.link_classes());
  const RelayConfig& relay = config_.relay;
  if (relay.hosts.empty()) return;
  std::vector<RelayLink> links;
  for (std::uint32_t i = 0; i < symmetry_.link_classes(); ++i) {
    links.push_back(
        {.role = relay.role_of_link[symmetry_.example(i)], .count = static_cast<double>(symmetry_.size(i))});
  }
  const auto class_of = [&](std::array<std::uint32_t, 2> pair) {
    for (std::uint32_t& link : pair) link = symmetry_.class_of_link(link);
    return pair;
  };
  std::map<std::pair<std::array<std::uint32_t, 2>, std::array<std::uint32_t, 2>>, double> hosts;
  for (const RelayConfig::Host& host : relay.hosts) hosts[{class_of(host.out), class_of(host.in)}] += 1;
  std::vector<Relays> relays;
  for (const auto& [classes, count] : hosts)
    relays.push_back({.hosts = count, .out = classes.first, .in = classes.second});
  const double most_each = static_cast<double>(relay.most_each.bits_per_second()) / 8 * config_.efficiency;
  fluid_.set_relays(std::move(links), std::move(relays), most_each);
}

FluidStatistics FlowNetwork::statistics() const {
  return {.messages = messages_,
          .delivered = delivered_,
          .streams = fluid_.streams(),
          .solutions = fluid_.solutions(),
          .solved_lanes = fluid_.solved_lanes()};
}

void FlowNetwork::carry(const Message& message, Action delivered) {
  if (faults_) follow_faults();
  const Way way = ways_.find(index(message.from), index(message.to));
  const std::uint32_t id = sent_.keep({.message = message, .way = way, .delivered = delivered});
  if (config_.latency == Latency::after) return enqueue(id);
  events().after(ways_.delay(way), [this, id] { enqueue(id); });
}

// Behind the messages that its pair still has to send.
void FlowNetwork::enqueue(std::uint32_t id) {
  ++messages_;
  if (config_.connections == ConnectionUse::per_message) return set_out(id);
  const auto [last, alone] = last_of_pair_.try_emplace(pair_of(sent_[id].message), id);
  if (alone) return set_out(id);
  sent_[last->second].next = id;
  last->second = id;
}

void FlowNetwork::set_out(std::uint32_t id) {
  next_.push_back(id);
  act_soon();
}

// Its last byte has left: the next one of its pair may go. Returns what to call when it has arrived.
Action FlowNetwork::leave(std::uint32_t id) {
  const Sent sent = sent_.release(id);
  if (sent.next != kNoMessage) {
    set_out(sent.next);
  } else if (config_.connections == ConnectionUse::per_pair) {
    last_of_pair_.erase(pair_of(sent.message));
  }
  return sent.delivered;
}

const std::shared_ptr<FlowNetwork::Traffic>& FlowNetwork::pattern(Pattern pattern, GroupId id) {
  std::shared_ptr<Traffic>& traffic = patterns_[{pattern, id}];
  if (traffic) return traffic;
  traffic = std::make_shared<Traffic>();
  std::map<Duration, std::uint32_t> known;
  for_each_pair(pattern, group(id), [&](Rank from, Rank to) {
    const Way way = ways_.find(index(from), index(to));
    const Duration delay = ways_.delay(way);
    const auto [entry, added] = known.try_emplace(delay, static_cast<std::uint32_t>(known.size()));
    if (added) traffic->kinds.push_back({.size = {}, .delay = delay});
    traffic->flows.add(way, entry->second);
  });
  return traffic;
}

std::vector<Delivery> FlowNetwork::deliveries_of(Pattern pattern, GroupId id, Bytes size,
                                                 MessageName name) const {
  std::vector<Delivery> all;
  for_each_pair(pattern, group(id), [&](Rank from, Rank to) {
    all.push_back({.message = {.from = from, .to = to, .size = size, .name = name}, .start = events().now()});
  });
  return all;
}

void FlowNetwork::carry_exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done) {
  // Where a part may fail, every message has its own fate.
  if (config_.latency == Latency::before || faults_)
    return Network::carry_exchange(pattern, group, size, name, done);
  const std::shared_ptr<Traffic>& traffic = this->pattern(pattern, group);
  messages_ += traffic->flows.flows();
  forget_classes();
  const std::uint32_t run = start(traffic, at_least_one(size));
  runs_[run].done = done;
  if (is_observed()) runs_[run].observed = deliveries_of(pattern, group, size, name);
  act_soon();
}

void FlowNetwork::act_soon() {
  if (acting_) return;
  acting_ = true;
  events().after(Duration::zero(), [this] { act(); });
}

// Once per instant, after everything that happens at it.
void FlowNetwork::act() {
  acting_ = false;
  if (!next_.empty()) {
    forget_classes();
    messages_since_reset_ = true;
    if (next_.size() <= kFewMessages || faults_) {
      for (const std::uint32_t id : next_)
        runs_[start(single(sent_[id].way), at_least_one(sent_[id].message.size))].message = id;
    } else {
      start(together(next_), {});
    }
    next_.clear();
  }
  fluid_.solve(events().now());
  if (history_) sample_soon();
  arm();
}

// Messages one by one on the same way share a lane.
const std::shared_ptr<FlowNetwork::Traffic>& FlowNetwork::single(const Way& way) {
  std::shared_ptr<Traffic>& traffic = singles_[{way.first, way.last, way.bundle}];
  if (!traffic) {
    traffic = std::make_shared<Traffic>();
    traffic->kinds.push_back({.size = {}, .delay = ways_.delay(way)});
    traffic->flows.add(way, 0);
  }
  return traffic;
}

std::shared_ptr<FlowNetwork::Traffic> FlowNetwork::together(
    const std::vector<std::uint32_t>& messages) const {
  auto traffic = std::make_shared<Traffic>();
  traffic->messages = messages;
  std::map<Kind, std::uint32_t> known;
  for (const std::uint32_t id : messages) {
    const Sent& sent = sent_[id];
    const Kind kind{.size = at_least_one(sent.message.size), .delay = ways_.delay(sent.way)};
    const auto [entry, added] = known.try_emplace(kind, static_cast<std::uint32_t>(known.size()));
    if (added) traffic->kinds.push_back(kind);
    traffic->flows.add(sent.way, entry->second);
  }
  return traffic;
}

std::uint32_t FlowNetwork::start(const std::shared_ptr<Traffic>& traffic, Bytes size) {
  cover(*traffic);
  const std::uint32_t id = runs_.keep({.traffic = traffic, .size = size, .done = {}});
  const bool one_by_one = !traffic->messages.empty();
  const std::vector<FlowClass>& classes = traffic->flows.classes();
  runs_[id].missing = static_cast<std::uint32_t>(classes.size());
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const Bytes each = one_by_one ? traffic->kinds[classes[i].kind].size : size;
    fluid_.start(traffic->lanes[i], static_cast<double>(each.count()), id, events().now());
  }
  return id;
}

double FlowNetwork::weight(const Traffic& traffic, std::uint32_t flow_class) const {
  if (config_.sharing == Sharing::equal) return 1;
  const Duration delay = traffic.kinds[traffic.flows.classes()[flow_class].kind].delay;
  return 1 / std::max(to_ns(delay), 1e-3);
}

std::vector<FlowNetwork::Traffic*> FlowNetwork::covered() const {
  std::vector<Traffic*> all;
  for (const Run& run : runs_) {
    if (run.traffic && !run.traffic->messages.empty()) all.push_back(run.traffic.get());
  }
  for (const auto& [key, known] : patterns_) {
    if (known->covered) all.push_back(known.get());
  }
  for (const auto& [key, known] : singles_) {
    if (known->covered) all.push_back(known.get());
  }
  return all;
}

// Ways on which nothing is sent now; to follow every split of links would cost more than to cover them again.
void FlowNetwork::drop_idle_singles(const Traffic& kept) {
  std::erase_if(singles_, [&](const auto& entry) {
    Traffic& single = *entry.second;
    if (&single == &kept || !single.covered || !fluid_.is_idle(single.lanes.front())) return false;
    fluid_.remove(single.lanes.front());
    return true;
  });
}

void FlowNetwork::cover(Traffic& traffic) {
  if (traffic.covered) return;
  std::vector<Traffic*> others;
  const auto sets = [&] {
    drop_idle_singles(traffic);
    others = covered();
    std::vector<FlowSet*> flows;
    for (Traffic* other : others) flows.push_back(&other->flows);
    return flows;
  };
  if (history_) count_links();
  if (symmetry_.cover(traffic.flows, sets)) {
    for (Traffic* other : others) split_lanes(*other);
    classes_changed();
  }
  traffic.covered = true;
  for (std::uint32_t i = 0; i < traffic.flows.classes().size(); ++i) {
    traffic.lanes.push_back(fluid_.add(traffic.flows, i, weight(traffic, i)));
  }
}

// Classes of flows have been split: so are their lanes, which go on at the rates they have.
void FlowNetwork::split_lanes(Traffic& traffic) {
  const std::vector<FlowClass>& classes = traffic.flows.classes();
  std::vector<LaneId> lanes(classes.size());
  std::vector<bool> taken(traffic.lanes.size());
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const std::uint32_t parent = classes[i].parent;
    const LaneId lane = traffic.lanes[parent];
    if (!taken[parent]) {
      taken[parent] = true;
      fluid_.set_class(lane, i);
      lanes[i] = lane;
    } else {
      lanes[i] = fluid_.copy(lane, i);
      fluid_.for_each_run(lane, [&](std::uint32_t run) { ++runs_[run].missing; });
    }
  }
  traffic.lanes = std::move(lanes);
}

// With nothing on its way, everything is alike again. Patterns are worth keeping, so it is done only when
// messages have split much that they do not need.
void FlowNetwork::forget_classes() {
  if (fluid_.active() > 0 || !messages_since_reset_) return;
  if (symmetry_.link_classes() <= first_link_classes_ + kFewClasses) return;
  for (const auto& [key, known] : patterns_) {
    if (!known->covered) continue;
    for (const LaneId lane : known->lanes) fluid_.remove(lane);
    known->lanes.clear();
    known->flows.forget();
    known->covered = false;
  }
  for (const auto& [key, known] : singles_) {
    for (const LaneId lane : known->lanes) fluid_.remove(lane);
  }
  singles_.clear();
  if (history_) count_links();
  symmetry_.reset();
  classes_changed();
  messages_since_reset_ = false;
}

void FlowNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  check(messages_ == 0, "links are watched from the start");
  if (!config_.relay.hosts.empty()) return;
  const std::size_t links = topology_.graph.links().size();
  history_.emplace(bounded(config, links), links);
  carried_.assign(links, 0);
  fluid_.count_bytes();
}

NetworkRecord FlowNetwork::record() {
  NetworkRecord record;
  if (history_) {
    count_links();
    record = named_links(topology_.graph, NetworkRecord::Detail::load);
    for (std::size_t i = 0; i < carried_.size(); ++i) {
      LinkRecord& total = record.links[i].total;
      total.carried = Bytes{static_cast<std::int64_t>(carried_[i] + 0.5)};
      total.busy = transfer_time(total.carried, record.links[i].rate);
    }
    record.history = *history_;
  }
  record.delivered = delivered_;
  record.counters = {{"messages", static_cast<std::uint64_t>(messages_)},
                     {"streams", fluid_.streams()},
                     {"solutions", fluid_.solutions()},
                     {"solved_lanes", fluid_.solved_lanes()}};
  if (!faults_) return record;
  record.counters.push_back({"faults", static_cast<std::uint64_t>(faults_->parts())});
  record.counters.push_back({"reroutes", reroutes_});
  record.undelivered = undelivered();
  return record;
}

// Before classes of links change, and when their links are looked at.
void FlowNetwork::count_links() {
  const std::vector<double> bytes = fluid_.take_bytes(events().now());
  for (std::uint32_t link = 0; link < carried_.size(); ++link)
    carried_[link] += bytes[symmetry_.class_of_link(link)];
}

void FlowNetwork::add_sample() {
  std::vector<LinkState> states;
  for (const double sent : carried_)
    states.push_back({.sent = Bytes{static_cast<std::int64_t>(sent + 0.5)}, .queued = {}});
  history_->add(states);
}

void FlowNetwork::sample() {
  sampling_ = false;
  count_links();
  add_sample();
  // What stands still for good, cut off by a fault, is not looked at: nothing changes before the next act().
  if (fluid_.active() > 0 && armed_ < Time::max()) sample_soon();
}

// Nothing was sent since the last sample if that was due before now.
void FlowNetwork::sample_soon() {
  if (sampling_) return;
  while (history_->next() <= events().now()) add_sample();
  sampling_ = true;
  check_horizon(history_->next());  // flows that never end would be looked at for ever
  events().at(history_->next(), [this] { sample(); });
}

void FlowNetwork::arm() {
  Time next = fluid_.next_end();
  if (fluid_.active() > 0) {
    for (const CapacitySchedule& schedule : config_.schedules) {
      next = std::min(next, schedule.next_change(events().now()));
    }
    if (faults_) next = std::min(next, next_fault());
  }
  if (next >= armed_) return;
  armed_ = next;
  check_horizon(next);
  events().at(next, [this] { wake(); });
}

void FlowNetwork::wake() {
  if (events().now() != armed_) return;
  armed_ = Time::max();
  fluid_.take_finished(events().now(), [this](std::uint32_t flow_class, std::uint32_t run, bool relayed) {
    finish(run, flow_class, relayed);
  });
  change_capacities();
  if (faults_) follow_faults();
  act_soon();
}

void FlowNetwork::change_capacities() {
  if (config_.schedule_of_link.empty()) return;
  for (std::uint32_t i = 0; i < symmetry_.link_classes(); ++i) {
    const int schedule = config_.schedule_of_link[symmetry_.example(i)];
    if (schedule < 0) continue;
    const CapacitySchedule& changes = config_.schedules[static_cast<std::size_t>(schedule)];
    const Time now = events().now();
    if (changes.share_at(now) != changes.share_at(now - Duration{1})) fluid_.capacity_changed(i);
  }
}

void FlowNetwork::finish(std::uint32_t id, std::uint32_t flow_class, bool relayed) {
  Run& run = runs_[id];
  const FlowClass& flows = run.traffic->flows.classes()[flow_class];
  const Kind& kind = run.traffic->kinds[flows.kind];
  const bool one_by_one = !run.traffic->messages.empty();
  const Bytes size = one_by_one ? kind.size : run.size;
  Duration delay = config_.latency == Latency::after ? kind.delay : Duration::zero();
  if (relayed && size > config_.relay.at_once) delay += config_.relay.wait;
  delivered_ += size * flows.flows;
  run.last_arrival = std::max(run.last_arrival, events().now() + delay);
  if (one_by_one) deliver(run, flow_class, delay);
  if (!run.observed.empty()) tell_later(run, flow_class, delay);
  if (--run.missing == 0) end_run(id);
}

void FlowNetwork::deliver(const Run& run, std::uint32_t flow_class, Duration delay) {
  const std::uint32_t id = deliveries_.take();
  for (const std::uint32_t flow : run.traffic->flows.members(flow_class)) {
    deliveries_[id].push_back(leave(run.traffic->messages[flow]));
  }
  events().after(delay, [this, id] {
    for (Action& action : deliveries_.release(id)) action();
  });
}

// Of the messages of an exchange, when they arrive.
void FlowNetwork::tell_later(const Run& run, std::uint32_t flow_class, Duration delay) {
  const std::uint32_t id = told_.take();
  for (const std::uint32_t flow : run.traffic->flows.members(flow_class)) {
    told_[id].push_back(run.observed[flow]);
    told_[id].back().end = events().now() + delay;
  }
  events().after(delay, [this, id] {
    for (const Delivery& delivery : told_.release(id)) tell(delivery);
  });
}

void FlowNetwork::end_run(std::uint32_t id) {
  Run& run = runs_[id];
  if (run.message != kNoMessage) run.done = leave(run.message);
  if (run.done) {
    events().at(run.last_arrival, run.done);
  } else {
    for (const LaneId lane : run.traffic->lanes) fluid_.remove(lane);
  }
  run = {};
  runs_.give_back(id);
}

double FlowNetwork::capacity(std::uint32_t link_class, Time when) const {
  const std::uint32_t link = symmetry_.example(link_class);
  const double bytes = static_cast<double>(topology_.graph.links()[link].wire.rate.bits_per_second()) / 8;
  const int schedule = config_.schedule_of_link.empty() ? -1 : config_.schedule_of_link[link];
  const double share =
      schedule < 0 ? 1 : config_.schedules[static_cast<std::size_t>(schedule)].share_at(when);
  const double left = faults_ ? left_of(link, when) : 1;
  return bytes * config_.efficiency * share * left;
}

}  // namespace overture::network::flow
