#include "overture/network/packet/packet_network.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "overture/base/check.h"
#include "overture/network/named_links.h"

namespace overture::network::packet {
namespace {

std::int64_t ps(Time time) { return time.time_since_epoch().count(); }

}  // namespace

PacketNetwork::PacketNetwork(topology::Topology topology, const PacketConfig& config, sim::EventQueue& events,
                             const Faults& faults)
    : Network(topology.graph.hosts(), events),
      topology_(std::move(topology)),
      engine_(topology_, config, Pause::at_delivery, faults),
      ranks_of_machine_(
          knows_only_connections(config) && !faults.touch_network() ? topology_.graph.hosts_of_machine() : 0),
      lost_(engine_.faults()) {}

void PacketNetwork::carry(const Message& message, Action delivered) {
  // With nothing to deliver the engine sleeps; what it still had to do (late ACKs, timers) it does now.
  if (!waits_for_something()) run(ps(events().now()));
  check(engine_.now() <= ps(events().now()), "a message is sent from an event, or before the first one");
  const Bytes size = at_least_one(message.size);
  const std::uint32_t id =
      engine_.post(index(message.from), index(message.to), size.count(), ps(events().now()));
  if (id >= sent_.size()) sent_.resize(id + 1);
  sent_[id] = {.delivered = delivered, .elsewhere = size * (message.machines - 1)};
  by_first_machine_ = by_first_machine_ || message.machines > 1;
  lost_.posted(id, index(message.from), index(message.to));
  arm();
}

void PacketNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  const std::size_t links = topology_.graph.links().size();
  history_.emplace(bounded(config, links), links);
}

NetworkRecord PacketNetwork::record() {
  NetworkRecord record = named_links(topology_.graph, NetworkRecord::Detail::packets);
  std::vector<LinkRecord> totals = engine_.links();
  repeat_machine(totals);
  for (std::size_t i = 0; i < totals.size(); ++i) record.links[i].total = totals[i];
  if (history_) record.history = *history_;
  const PacketStatistics counts = engine_.statistics();
  record.delivered = counts.delivered + elsewhere_;
  record.counters = counters(counts);
  record.digest = engine_.digest();
  record.undelivered = lost_.tell(ps(events().now()));
  return record;
}

// As the engine does, up to the limit or a delivery; on the way the links are looked at.
void PacketNetwork::run(std::int64_t limit) {
  if (!history_) return engine_.run(limit);
  while (engine_.next_time() <= limit && engine_.next_time() != std::numeric_limits<std::int64_t>::max()) {
    sample(engine_.next_time() - 1);
    engine_.run(std::min(limit, ps(history_->next())));
    if (!engine_.completions().empty()) return;
  }
}

// Takes the samples that are due by `when`, before which the engine has nothing more to do.
void PacketNetwork::sample(std::int64_t when) {
  for (; ps(history_->next()) <= when; history_->add(states_)) {
    engine_.observe(ps(history_->next()), states_);
    repeat_machine(states_);
  }
}

// What the links inside of the first machine did, those of all others did, if its messages stood for theirs.
// The links come machine by machine: those that leave hosts, then those that leave the switches inside.
template <class OfLink>
void PacketNetwork::repeat_machine(std::vector<OfLink>& of_links) const {
  if (!by_first_machine_) return;
  const topology::Graph& graph = topology_.graph;
  const auto machines = static_cast<std::size_t>(ranks() / ranks_of_machine_);
  for (const bool from_hosts : {true, false}) {
    std::vector<std::size_t> inside;
    for (std::size_t i = 0; i < of_links.size(); ++i) {
      if (graph.links()[i].wire.tier == 0 && graph.is_host(graph.links()[i].from) == from_hosts)
        inside.push_back(i);
    }
    const std::size_t of_machine = inside.size() / machines;
    for (std::size_t i = of_machine; i < inside.size(); ++i)
      of_links[inside[i]] = of_links[inside[i % of_machine]];
  }
}

// What no path is left for is sent again and again, in vain.
bool PacketNetwork::waits_for_something() { return engine_.outstanding() > lost_.count(ps(events().now())); }

void PacketNetwork::arm() {
  if (!waits_for_something()) return;
  const Time next{Duration{engine_.next_time()}};
  if (next >= armed_) return;
  armed_ = next;
  events().at(next, [this] { wake(); });
}

// How far the engine may run on its own: to its next delivery, but not as far as what anybody else has to do,
// since that may be a message.
std::int64_t PacketNetwork::horizon() {
  const std::int64_t now = ps(events().now());
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  if (events().pending() > 0) end = std::max(now, ps(events().next_time()) - 1);
  // By then it is known what never arrives, and need not be waited for.
  if (const PacketFaults* faults = engine_.faults(); faults != nullptr && now < faults->settled())
    end = std::min(end, faults->settled());
  return end;
}

void PacketNetwork::wake() {
  if (events().now() != armed_) return;
  armed_ = Time::max();
  if (!waits_for_something()) return;
  run(horizon());
  if (engine_.completions().empty()) return arm();
  const Time when{Duration{engine_.completions().front().when}};
  if (when == events().now()) return deliver();
  events().at(when, [this] { deliver(); });
}

void PacketNetwork::deliver() {
  done_.clear();
  std::swap(done_, engine_.completions());
  arm();  // before the actions, whose messages would otherwise be taken for earlier than what is due now
  for (const Completion& done : done_) {
    lost_.delivered(done.message);
    Sent sent = sent_[done.message];
    elsewhere_ += sent.elsewhere;
    sent.delivered();
  }
}

}  // namespace overture::network::packet
