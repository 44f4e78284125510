#include "overture/network/packet/roce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "overture/base/check.h"
#include "overture/network/packet/stack.h"

namespace overture::network::packet {
namespace {

std::uint32_t bytes32(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

}  // namespace

Roce::Roce(const PacketConfig& config, const topology::Topology& topology, LosslessFabric& fabric,
           Pause pause)
    : Deliveries(pause),
      config_(config.of<RoceConfig>()),
      reliable_(config.transport == kTransport<RoceConfig>),
      dcqcn_on_(reliable_ && config.of<RoceConfig>().control == RateControl::dcqcn),
      payload_(bytes32(reliable_ ? config.of<RoceConfig>().payload : config.of<PlainConfig>().payload)),
      header_(bytes32(reliable_ ? config.of<RoceConfig>().header : config.of<PlainConfig>().header)),
      most_rate_(!reliable_ && config.of<PlainConfig>().inject
                     ? static_cast<double>(config.of<PlainConfig>().inject->bits_per_second())
                     : std::numeric_limits<double>::infinity()),
      data_priority_(static_cast<std::size_t>(fabric.priorities() - 1)),
      small_first_(config.lossless.small_first),
      fabric_(fabric),
      dcqcn_(config.of<RoceConfig>().dcqcn),
      nics_(static_cast<std::size_t>(topology.graph.first_link(topology.graph.hosts()))) {}

std::size_t Roce::memory() const {
  return flows_.capacity() * sizeof(RoceFlow) + messages_.memory() + pairs_.memory();
}

// ---- messages

std::uint8_t Roce::priority_of(std::int64_t bytes) const {
  const auto larger = std::ranges::lower_bound(small_first_, Bytes{bytes});
  return static_cast<std::uint8_t>(1 + (larger - small_first_.begin()));
}

std::uint32_t Roce::connection(int from, int to, std::uint8_t priority) {
  const std::uint32_t known = pairs_.find(flows_, from, to, priority);
  if (known != kNone) return known;
  Routes& routes = fabric_.routes();
  const std::uint64_t entropy = routes.new_flow(from, to);
  RoceFlow& flow = flows_.emplace_back();
  flow.source = from;
  flow.destination = to;
  flow.priority = priority;
  flow.route = routes.word(from, to, entropy);
  flow.ack_route = routes.word(to, from, entropy);
  flow.link = fabric_.first_link(from, flow.route);
  flow.ack_link = fabric_.first_link(to, flow.ack_route);
  flow.dcqcn = Dcqcn::fresh(std::min(most_rate_, static_cast<double>(fabric_.bits_per_second(flow.link))));
  pairs_.add_last(flows_);
  return static_cast<std::uint32_t>(flows_.size() - 1);
}

std::uint32_t Roce::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  check(from != to && bytes > 0, "a message crosses the network and has a byte");
  const std::int64_t packets = (bytes + payload_ - 1) / payload_;
  require_countable(packets, payload_, kMostWaiting);
  const std::uint32_t id = messages_.take();
  check(id < kStart, "at most a thousand million messages");
  messages_[id] = {.bytes = bytes,
                   .packets = static_cast<std::uint32_t>(packets),
                   .flow = connection(from, to, priority_of(bytes))};
  posted();
  fabric_.set_timer(id | kStart, when);
  return id;
}

// The message is due: it goes behind those that its connection has.
void Roce::start(std::uint32_t id) {
  RoceMessage& message = messages_[id];
  RoceFlow& flow = flows_[message.flow];
  require_countable(std::int64_t{flow.end - flow.unacked} + message.packets, payload_, kMostWaiting);
  message.first = flow.end;
  flow.end += message.packets;
  if (flow.last_message == kNone) {
    flow.first_message = id;
  } else {
    messages_[flow.last_message].next = id;
  }
  flow.last_message = id;
  if (flow.sending == kNone) send_next(flow, id);
  if (flow.receiving == kNone) receive_next(flow, id);
  activate(message.flow, flow);
}

std::uint16_t Roce::last_length(const RoceMessage& message) const {
  return static_cast<std::uint16_t>(message.bytes - std::int64_t{message.packets - 1} * payload_);
}

void Roce::send_next(RoceFlow& flow, std::uint32_t message) {
  flow.sending = message;
  if (message == kNone) return;
  flow.boundary = messages_[message].first + messages_[message].packets;
  flow.last_length = last_length(messages_[message]);
}

void Roce::receive_next(RoceFlow& flow, std::uint32_t message) {
  flow.receiving = message;
  if (message != kNone) flow.receive_boundary = messages_[message].first + messages_[message].packets;
}

// ---- the sender

// The connection has something to send.
void Roce::activate(std::uint32_t id, RoceFlow& flow) {
  if (flow.turn != Turn::none || flow.next == flow.end) return;
  take_turn(id, flow, fabric_.free_at(flow.link));
  if (fabric_.free_at(flow.link) <= fabric_.now()) return link_free(flow.link);
  fabric_.wake_when_free(flow.link);
}

// A connection whose turn comes by the time that the link is free need not be looked at before.
void Roce::take_turn(std::uint32_t id, RoceFlow& flow, std::int64_t free_at) {
  RoceNic& nic = nics_[flow.link];
  if (flow.may_send <= std::max(free_at, fabric_.now())) return line_up(nic, id, flow);
  flow.turn = Turn::later;
  nic.later.push_back({.when = flow.may_send, .flow = id});
  std::push_heap(nic.later.begin(), nic.later.end());
}

void Roce::line_up(RoceNic& nic, std::uint32_t id, RoceFlow& flow) {
  Line& line = nic.ready[flow.priority];
  flow.turn = Turn::ready;
  flow.after = kNone;
  if (line.first == kNone) {
    line.first = id;
  } else {
    flows_[line.last].after = id;
  }
  line.last = id;
  ++nic.waiting;
}

// Those that had to wait and no longer have to.
void Roce::collect(RoceNic& nic) {
  while (!nic.later.empty() && nic.later.front().when <= fabric_.now()) {
    const std::uint32_t id = nic.later.front().flow;
    std::pop_heap(nic.later.begin(), nic.later.end());
    nic.later.pop_back();
    line_up(nic, id, flows_[id]);
  }
}

std::uint32_t Roce::next_ready(RoceNic& nic, std::uint32_t link) {
  const auto priorities = static_cast<std::size_t>(fabric_.priorities());
  for (std::size_t priority = 0; priority < priorities && nic.waiting > 0; ++priority) {
    Line& line = nic.ready[priority];
    if (line.first == kNone || !fabric_.open(link, static_cast<int>(priority))) continue;
    const std::uint32_t id = line.first;
    line.first = flows_[id].after;
    --nic.waiting;
    return id;
  }
  return kNone;
}

void Roce::link_free(std::uint32_t link) {
  RoceNic& nic = nics_[link];
  collect(nic);
  bool sent = false;
  while (!sent) {
    const std::uint32_t id = next_ready(nic, link);
    if (id == kNone) break;
    RoceFlow& flow = flows_[id];
    flow.turn = Turn::none;
    if (flow.next == flow.end) continue;  // acknowledged after all, while it waited to be sent again
    transmit(id, flow);
    sent = true;
    if (flow.next != flow.end) take_turn(id, flow, fabric_.free_at(link));
  }
  if (sent && nic.waiting > 0) return fabric_.wake_when_free(link);
  if (nic.later.empty()) return;
  const std::int64_t next = nic.later.front().when;
  if (sent && next <= fabric_.free_at(link)) return fabric_.wake_when_free(link);
  fabric_.wake_at(link, next);
}

// From the start of this packet to that of the next one.
std::int64_t Roce::gap(const RoceFlow& flow, std::int64_t size) const {
  if (!flow.dcqcn.limited && most_rate_ >= static_cast<double>(fabric_.bits_per_second(flow.link))) {
    return fabric_.sending_time(flow.link, size);
  }
  return std::llround(static_cast<double>(size) * 8e12 / flow.dcqcn.rate);
}

void Roce::transmit(std::uint32_t id, RoceFlow& flow) {
  const bool last = flow.next + 1 == flow.boundary;
  Packet packet;
  packet.flow = id;
  packet.sequence = flow.next;
  packet.info = flow.sending;
  packet.size = static_cast<std::uint16_t>(header_ + (last ? flow.last_length : payload_));
  Routes& routes = fabric_.routes();
  packet.route = flow.route;
  if (routes.per_packet()) packet.route = routes.packet_word(flow.source, flow.destination);
  ++counts_.data_packets;
  if (flow.next != flow.sent) {
    ++counts_.retransmissions;
  } else {
    ++flow.sent;
  }
  ++flow.next;
  if (last) send_next(flow, messages_[flow.sending].next);
  if (reliable_) set_deadline(id, flow);
  if (dcqcn_on_) {
    dcqcn_.sent(flow.dcqcn, packet.size, fabric_.now(),
                static_cast<double>(fabric_.bits_per_second(flow.link)));
  }
  flow.may_send = fabric_.now() + gap(flow, packet.size);
  fabric_.send_now(flow.link, flow.priority, packet);
}

// All packets before `expected` have arrived in order.
void Roce::acknowledge(RoceFlow& flow, std::uint32_t expected) {
  if (static_cast<std::int32_t>(expected - flow.unacked) <= 0) return;
  flow.unacked = expected;
  flow.backoff = 0;
  // A timeout may have gone back behind what arrived meanwhile.
  if (static_cast<std::int32_t>(flow.next - expected) < 0) {
    flow.next = expected;
    std::uint32_t message = flow.sending;
    while (message != kNone && expected - messages_[message].first >= messages_[message].packets) {
      message = messages_[message].next;
    }
    send_next(flow, message);
  }
  while (flow.first_message != kNone) {
    const std::uint32_t id = flow.first_message;
    if (expected - messages_[id].first < messages_[id].packets) return;
    if (static_cast<std::int32_t>(expected - messages_[id].first) < 0) return;
    flow.first_message = messages_[id].next;
    if (flow.first_message == kNone) flow.last_message = kNone;
    messages_.give_back(id);
  }
}

// Everything that is not acknowledged is sent again.
void Roce::go_back(std::uint32_t id, RoceFlow& flow) {
  if (flow.next == flow.unacked) return;
  flow.next = flow.unacked;
  send_next(flow, flow.first_message);
  activate(id, flow);
}

void Roce::set_deadline(std::uint32_t id, RoceFlow& flow) {
  packet::set_deadline(flow, id, fabric_, config_.min_rto.count(), config_.max_rto.count());
}

void Roce::timer(std::uint32_t id) {
  if ((id & kStart) != 0) return start(id & ~kStart);
  RoceFlow& flow = flows_[id];
  flow.timer_set = false;
  if (flow.unacked == flow.sent) return;
  if (flow.deadline <= fabric_.now()) {
    ++counts_.timeouts;
    flow.backoff = static_cast<std::uint8_t>(std::min(flow.backoff + 1, 60));
    set_deadline(id, flow);
    return go_back(id, flow);
  }
  flow.timer_set = true;
  fabric_.set_timer(id, flow.deadline);
}

std::unique_ptr<Stack> RoceConfig::make(const topology::Topology& topology, const PacketConfig& config,
                                        Pause pause) {
  return std::make_unique<StackOf<LosslessFabric, Roce>>(topology, config, pause);
}

std::unique_ptr<Stack> PlainConfig::make(const topology::Topology& topology, const PacketConfig& config,
                                         Pause pause) {
  check(config.lossless.control != LinkControl::credits, "links with credits have an engine of their own");
  return RoceConfig::make(topology, config, pause);
}

}  // namespace overture::network::packet
