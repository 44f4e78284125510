#include "overture/network/packet/ndp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "overture/base/check.h"
#include "overture/network/packet/stack.h"
#include "overture/topology/common_end.h"

namespace overture::network::packet {

Ndp::Ndp(const PacketConfig& config, const topology::Topology& topology, Fabric& fabric, Pause pause)
    : Deliveries(pause),
      config_(config.of<NdpConfig>()),
      payload_(static_cast<std::uint32_t>(config_.payload.count())),
      header_(static_cast<std::uint32_t>(config_.header.count())),
      fabric_(fabric),
      topology_(topology),
      ways_(topology, fabric.routes()) {
  const topology::Graph& graph = topology.graph;
  const int hosts = graph.hosts();
  nics_.resize(static_cast<std::size_t>(graph.first_link(hosts)));
  for (int host = 0; host < hosts; ++host) {
    // A host with several links pulls at the rate of all.
    double per_ps = 0;
    for (int port = 0; port < graph.ports(host); ++port) per_ps += rate(fabric.host_link(host, port));
    pullers_.push_back(
        {.gap = std::llround(1 / per_ps / config_.pull_rate),
         .control_time = fabric.sending_time(fabric.host_link(host, 0), config_.control.count())});
  }
  const std::int64_t fastest = std::ranges::min(pullers_, {}, &Puller::gap).gap;
  for (std::uint32_t link = 0; link < graph.links().size() && !slow_ways_; ++link)
    slow_ways_ = std::llround(1 / rate(link) / config_.pull_rate) > fastest;
}

std::size_t Ndp::memory() const {
  std::size_t words = 0;
  for (std::uint32_t i = 0; i < bits_.size(); ++i) words += bits_[i].capacity();
  std::size_t turns = 0;
  for (const Turns& nic : nics_) turns += nic.memory();
  for (const Puller& puller : pullers_) turns += puller.flows.memory();
  return flows_.memory() + bits_.memory() + words * sizeof(PacketBits) + resends_.memory() + turns;
}

// ---- messages

std::uint32_t Ndp::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  check(from != to && bytes > 0, "a message crosses the network and has a byte");
  const std::uint32_t id = flows_.take();
  check(id < kStart, "at most a thousand million messages");
  const std::int64_t packets = (bytes + payload_ - 1) / payload_;
  require_countable(packets, payload_, std::int64_t{kNone} - 1);
  NdpFlow& flow = flows_[id];
  flow = {
      .packets = static_cast<std::uint32_t>(packets),
      .serial = ++serial_,
      .timer_set = flow.timer_set,  // a timer of an earlier message may still be pending, and serves this one
      .sending = true,
      .receiving = true,
      .source = from,
      .destination = to,
      .last_length = static_cast<std::uint32_t>(bytes - (packets - 1) * payload_)};
  posted();
  fabric_.set_timer(id | kStart, when);
  return id;
}

void Ndp::start(std::uint32_t id) {
  NdpFlow& flow = flows_[id];
  flow.spread = ways_.spread(flow.source, flow.destination);
  flow.reply = ways_.spread(flow.destination, flow.source);
  flow.link = fabric_.host_link(flow.source, static_cast<int>(flow.spread.port));
  flow.reply_link = fabric_.host_link(flow.destination, static_cast<int>(flow.reply.port));
  flow.place = nics_[flow.link].join(id);
  flow.pull_place = pullers_[static_cast<std::size_t>(flow.destination)].flows.join(id);
  if (slow_ways_) flow.slow = slow_way(flow);
  if (flow.packets > 64) {
    flow.more = bits_.take();
    bits_[flow.more].assign((flow.packets + 63) / 64, {});
  }
  flow.fresh = std::min(flow.packets, static_cast<std::uint32_t>(config_.initial_window));
  flow.pulls_left = flow.packets - flow.fresh;
  queue(flow);
}

double Ndp::rate(std::uint32_t link) const {
  return 1 / static_cast<double>(fabric_.sending_time(link, payload_ + header_));
}

// Which of gaps_ it is at which the flow's packets can come, all its paths together, if that is slower than
// its receiver.
std::uint32_t Ndp::slow_way(const NdpFlow& flow) {
  const topology::Graph& graph = topology_.graph;
  const int first = graph.links()[flow.link].to;
  const int to = flow.destination;
  const int end = graph.ports(to) == 1 ? graph.link(to, 0).to : to;
  const double slowest = std::min(rate(flow.link), rate_between(first, end, to));
  const std::int64_t gap = std::llround(1 / slowest / config_.pull_rate);
  if (gap <= pullers_[static_cast<std::size_t>(to)].gap) return kNone;
  const auto known = std::ranges::find(gaps_, gap);
  const auto number = static_cast<std::uint32_t>(known - gaps_.begin());
  if (known == gaps_.end()) gaps_.push_back(gap);
  return number;
}

// Packets per ps that fit through all paths that a flow takes from one switch to another, before host `to`.
double Ndp::rate_between(int at, int end, int to) {
  if (at == end) return std::numeric_limits<double>::infinity();
  const auto key = static_cast<std::uint64_t>(at) << 32 |
                   static_cast<std::uint32_t>(topology::common_end(topology_.graph, to));
  if (const auto known = rates_.find(key); known != rates_.end()) return known->second;
  const Routes& routes = fabric_.routes();
  std::vector<int> ports{topology_.routing->port(at, to, topology::Pick::by_destination())};
  if (routes.spray() || routes.per_packet()) ports = topology::equal_ports(topology_, at, to);
  double sum = 0;
  for (const int port : ports) {
    const auto link = static_cast<std::uint32_t>(topology_.graph.first_link(at) + port);
    sum += std::min(rate(link), rate_between(topology_.graph.link(at, port).to, end, to));
  }
  rates_.emplace(key, sum);
  return sum;
}

void Ndp::free_if_done(std::uint32_t id, NdpFlow& flow) {
  if (flow.sending || flow.receiving) return;
  flow.serial = 0;
  if (flow.more != kNone) bits_.give_back(flow.more);
  flow.more = kNone;
  flows_.give_back(id);
}

std::uint32_t Ndp::length(const NdpFlow& flow, std::uint32_t number) const {
  return number + 1 < flow.packets ? payload_ : flow.last_length;
}

// ---- the sender

// One more packet may be sent: the first that has to be sent again, else a new one. It waits for the link
// behind what the flow was allowed before.
void Ndp::allow(NdpFlow& flow) {
  if (flow.wanted > 0) {
    add_resend(flow, take_wanted(flow));
  } else if (flow.fresh < flow.packets) {
    ++flow.fresh;
  } else {
    ++flow.spare;
    return;
  }
  queue(flow);
}

// The flow has packets ready.
void Ndp::queue(NdpFlow& flow) {
  nics_[flow.link].enter(flow.place);
  if (fabric_.is_free(flow.link)) return link_free(flow.link);
  fabric_.wake_when_free(flow.link);
}

void Ndp::link_free(std::uint32_t link) {
  Turns& nic = nics_[link];
  while (!nic.empty()) {
    const std::uint32_t id = nic.take();
    NdpFlow& flow = flows_[id];
    const bool sent = transmit_next(id, flow);
    if (!ready(flow)) nic.pass(flow.place);
    if (!sent) continue;
    if (!nic.empty()) fabric_.wake_when_free(link);
    return;
  }
}

// What the flow was allowed first. False: all of it was acknowledged after all, while it waited.
bool Ndp::transmit_next(std::uint32_t id, NdpFlow& flow) {
  while (ready(flow)) {
    if (!resends(flow)) {
      transmit(id, flow, flow.next++);
      return true;
    }
    const std::uint32_t number = take_resend(flow);
    if ((bits(flow, number).acked & bit(number)) != 0) {
      ++flow.spare;
      continue;
    }
    ++counts_.retransmissions;
    transmit(id, flow, number);
    return true;
  }
  return false;
}

void Ndp::want(NdpFlow& flow, std::uint32_t number) {
  PacketBits& word = bits(flow, number);
  if (((word.acked | word.wanted) & bit(number)) != 0) return;
  word.wanted |= bit(number);
  ++flow.wanted;
  flow.first_wanted = std::min(flow.first_wanted, number / 64);
}

std::uint32_t Ndp::take_wanted(NdpFlow& flow) {
  while (bits(flow, flow.first_wanted * 64).wanted == 0) ++flow.first_wanted;
  PacketBits& word = bits(flow, flow.first_wanted * 64);
  const std::uint32_t number =
      flow.first_wanted * 64 + static_cast<std::uint32_t>(std::countr_zero(word.wanted));
  word.wanted &= word.wanted - 1;
  --flow.wanted;
  return number;
}

bool Ndp::resends(const NdpFlow& flow) {
  return flow.last_resend != kNone && resends_[resends_[flow.last_resend].next].before <= flow.next;
}

void Ndp::add_resend(NdpFlow& flow, std::uint32_t number) {
  const std::uint32_t id = resends_.take();
  resends_[id] = {.number = number, .before = flow.fresh, .next = id};
  if (flow.last_resend != kNone) std::swap(resends_[id].next, resends_[flow.last_resend].next);
  flow.last_resend = id;
}

std::uint32_t Ndp::take_resend(NdpFlow& flow) {
  const std::uint32_t id = resends_[flow.last_resend].next;
  resends_[flow.last_resend].next = resends_[id].next;
  if (id == flow.last_resend) flow.last_resend = kNone;
  resends_.give_back(id);
  return resends_[id].number;
}

void Ndp::transmit(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  Packet packet;
  packet.flow = id;
  packet.sequence = number;
  packet.info = flow.serial;
  packet.size = static_cast<std::uint16_t>(header_ + (config_.pad_packets ? payload_ : length(flow, number)));
  packet.route = ways_.next(flow.spread, flow.source, flow.destination);
  ++counts_.data_packets;
  set_deadline(id, flow);
  fabric_.send_now(flow.link, packet);
}

void Ndp::on_ack(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  PacketBits& word = bits(flow, number);
  if (!flow.sending || (word.acked & bit(number)) != 0) return;
  word.acked |= bit(number);
  ++flow.acked;
  if ((word.wanted & bit(number)) != 0) [[unlikely]] {
    word.wanted &= ~bit(number);
    --flow.wanted;
  }
  if (flow.acked >= flow.recover) flow.backoff = 0;
  set_deadline(id, flow);
}

// ACKs that are still on their way tell nothing new.
void Ndp::on_complete(std::uint32_t id, NdpFlow& flow) {
  if (!flow.sending) return;
  flow.sending = false;
  while (flow.last_resend != kNone) take_resend(flow);
  nics_[flow.link].leave(flow.place);
  if (config_.complete_at == CompleteAt::last_ack) delivered(id, fabric_.now());
  free_if_done(id, flow);
}

void Ndp::on_nack(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  --flow.nacks_flying;
  if (!flow.sending) return;
  want(flow, number);
  set_deadline(id, flow);
  if (flow.spare == 0) return;
  --flow.spare;
  allow(flow);
}

// PULLs count, so that one that comes makes up for those before it.
void Ndp::on_pull(std::uint32_t id, NdpFlow& flow, std::uint32_t pulled) {
  set_deadline(id, flow);
  for (; static_cast<std::int32_t>(pulled - flow.pulled) > 0; ++flow.pulled) allow(flow);
}

void Ndp::set_deadline(std::uint32_t id, NdpFlow& flow) {
  packet::set_deadline(flow, id, fabric_, config_.min_rto.count(), config_.max_rto.count());
}

void Ndp::timer(std::uint32_t id) {
  if ((id & kStart) != 0) return start(id & ~kStart);
  NdpFlow& flow = flows_[id];
  flow.timer_set = false;
  if (!flow.sending || flow.next == 0) return;  // done, or not started: the first packet sets the timer
  if (flow.deadline <= fabric_.now()) on_timeout(id, flow);
  if (flow.timer_set) return;
  flow.timer_set = true;
  fabric_.set_timer(id, flow.deadline);
}

// What was sent and not heard of is sent again at once, with nobody's permission. If there is no such packet,
// the flow waits for its turn: a PULL may be lost, so one packet goes without.
void Ndp::on_timeout(std::uint32_t id, NdpFlow& flow) {
  if (ready(flow)) return set_deadline(id, flow);  // only its own link keeps it waiting
  flow.backoff = static_cast<std::uint8_t>(std::min(flow.backoff + 1, 60));
  const std::uint32_t before = flow.wanted;
  if (flow.next - flow.acked > flow.wanted) {
    for (std::uint32_t number = 0; number < flow.next; ++number) want(flow, number);
  }
  set_deadline(id, flow);
  ++counts_.timeouts;
  flow.recover = flow.next;
  if (flow.wanted == before) return allow(flow);
  for (std::uint32_t left = flow.wanted - before; left > 0; --left) add_resend(flow, take_wanted(flow));
  queue(flow);
}

std::unique_ptr<Stack> NdpConfig::make(const topology::Topology& topology, const PacketConfig& config,
                                       Pause pause) {
  return std::make_unique<StackOf<Fabric, Ndp>>(topology, config, pause);
}

}  // namespace overture::network::packet
