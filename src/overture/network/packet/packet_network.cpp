#include "overture/network/packet/packet_network.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "overture/base/check.h"

namespace overture::network::packet {
namespace {

std::int64_t ps(Time time) { return time.time_since_epoch().count(); }

}  // namespace

PacketNetwork::PacketNetwork(topology::Topology topology, const PacketConfig& config, sim::EventQueue& events)
    : topology_(std::move(topology)), events_(events), engine_(topology_, config, Pause::at_delivery) {}

void PacketNetwork::send(const Message& message, Action delivered) {
  const int hosts = topology_.graph.hosts();
  check(index(message.from) >= 0 && index(message.from) < hosts && index(message.to) >= 0 &&
            index(message.to) < hosts,
        "messages go between the network's hosts");
  if (message.from == message.to) return events_.after(Duration::zero(), delivered);
  // With nothing to deliver the engine sleeps; what it still had to do (late ACKs, timers) it does now.
  if (engine_.outstanding() == 0) run(ps(events_.now()));
  check(engine_.now() <= ps(events_.now()), "a message is sent from an event, or before the first one");
  const std::uint32_t id = engine_.post(index(message.from), index(message.to),
                                        std::max<std::int64_t>(message.size.count(), 1), ps(events_.now()));
  if (id >= delivered_.size()) delivered_.resize(id + 1);
  delivered_[id] = delivered;
  arm();
}

void PacketNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  history_.emplace(config, topology_.graph.links().size());
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
  for (; ps(history_->next()) <= when; history_->add(states_)) engine_.observe(ps(history_->next()), states_);
}

void PacketNetwork::arm() {
  if (engine_.outstanding() == 0) return;
  const Time next{Duration{engine_.next_time()}};
  if (next >= armed_) return;
  armed_ = next;
  events_.at(next, [this] { wake(); });
}

// How far the engine may run on its own: if nobody else has anything to do, to its next delivery.
std::int64_t PacketNetwork::horizon() const {
  return events_.pending() == 0 ? std::numeric_limits<std::int64_t>::max() : ps(events_.now());
}

void PacketNetwork::wake() {
  if (events_.now() != armed_) return;
  armed_ = Time::max();
  run(horizon());
  if (engine_.completions().empty()) return arm();
  const Time when{Duration{engine_.completions().front().when}};
  if (when == events_.now()) return deliver();
  events_.at(when, [this] { deliver(); });
}

void PacketNetwork::deliver() {
  done_.clear();
  std::swap(done_, engine_.completions());
  arm();  // before the actions, whose messages would otherwise be taken for earlier than what is due now
  for (const Completion& done : done_) {
    Action action = delivered_[done.message];
    if (action) action();
  }
}

}  // namespace overture::network::packet
