#include "overture/network/garnet/uncontended.h"

#include <algorithm>
#include <tuple>

namespace overture::network::garnet {

bool UncontendedNetwork::may_fit(const GarnetConfig& config) {
  const int flits = config.flits_per_packet();
  const int shallowest = *std::min_element(config.buffers.begin(), config.buffers.end());
  const int widest = std::max(config.local.width, config.package.width);
  return !config.original_order && flits > 1 && shallowest >= flits && widest <= config.flit_width;
}

UncontendedNetwork::UncontendedNetwork(const GarnetConfig& config, sim::EventQueue& events)
    : Network(config.ranks(), events),
      config_(config),
      vnets_(config.vnets()),
      flits_(config.flits_per_packet()),
      own_link_(config.local.latency),
      pipeline_(config.router_latency - 1),
      lanes_(static_cast<std::size_t>(config.ranks() * vnets_)) {}

// Throws unless the receiver is the next rank on the message's vnet.
const LinkConfig& UncontendedNetwork::link_to_next(const Message& message) const {
  int dimension = 0;
  while (dimension < 2 &&
         message.lane >= vnets_of(config_, dimension).first + vnets_of(config_, dimension).count)
    ++dimension;
  if (dimension > 0 && config_.wiring == Wiring::switches) throw Contended();
  if (index(message.to) != next_rank(config_, index(message.from), message.lane)) throw Contended();
  return dimension == 0 ? config_.local : config_.package;
}

void UncontendedNetwork::carry(const Message& message, Action delivered) {
  const LinkConfig& link = link_to_next(message);
  const GarnetWire wire{.latency = link.latency, .parts = config_.parts(link)};
  Lane& lane = lanes_[static_cast<std::size_t>(index(message.from) * vnets_ + message.lane)];
  if (lane.releases.empty()) lane.releases.resize(static_cast<std::size_t>(config_.vcs));
  const Duration now = events().now().time_since_epoch();
  const Cycle cycle = (now.count() + Duration{kCycle}.count() - 1) / Duration{kCycle}.count();
  const std::int64_t packets = std::max<std::int64_t>(1, config_.packets(message.size));
  Cycle arrived = 0;
  for (std::int64_t i = 0; i < packets; ++i) arrived = pass_packet(lane, wire, cycle, i == 0);
  // Ranks act first in a cycle, then their interfaces take what has arrived, vnet by vnet.
  const std::uint32_t slot = under_way_.keep({message.to, message.lane, delivered});
  events().at(Time{kCycle * arrived}, [this, slot] { arrive(slot); });
}

// Sends a packet into the lane and returns the cycle in which its tail reaches the interface at the other
// end.
Cycle UncontendedNetwork::pass_packet(Lane& lane, const GarnetWire& wire, Cycle now, bool first_of_message) {
  Release& release = lane.releases[lane.next];  // of the packet that had the virtual channel before
  lane.next = (lane.next + 1) % lane.releases.size();

  const Cycle sent = std::max(now, lane.last_sent + 1);  // by the interface, its first flit
  // Virtual channels are freed at the end of a cycle, and only an interface that holds flits wakes up by
  // itself.
  const bool injected =
      (first_of_message && sent == now) ? release.interface < now : release.interface + 2 <= sent;
  const Cycle at_first = sent + 1 + own_link_ + pipeline_;
  Cycle start = at_first + 1;  // on the link
  if (wire.serialised()) start = std::max(start + 2, lane.link_free);
  const Cycle bridge = wire.serialised() ? 1 : 0;  // at the far end; the near one is in `start`
  const Cycle first_part = start + (wire.serialised() ? wire.parts : 0);
  const Cycle last = (flits_ - 1) * static_cast<Cycle>(wire.parts);
  const Cycle at_second = first_part + bridge + wire.latency + pipeline_;
  if (!injected || release.first > at_first || release.second > at_second) throw Contended();

  lane.last_sent = sent + flits_ - 1;
  lane.link_free = first_part + last;
  const Cycle tail_at_second = at_second + last;
  const Cycle tail = tail_at_second + 1 + own_link_;
  Cycle nothing_before = 0;
  release = {.interface = at_first + flits_ - 1 + 1 + own_link_,
             .first = arrival(tail_at_second, wire, nothing_before),
             .second = tail + 1 + own_link_};
  return tail;
}

void UncontendedNetwork::arrive(std::uint32_t slot) {
  if (due_.empty()) events().after(Duration::zero(), [this] { flush(); });
  due_.push_back(under_way_.release(slot));
}

void UncontendedNetwork::flush() {
  std::stable_sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
    return std::tuple(a.to, a.vnet) < std::tuple(b.to, b.vnet);
  });
  std::vector<Due> now;
  now.swap(due_);
  for (Due& due : now) due.delivered();
}

}  // namespace overture::network::garnet
