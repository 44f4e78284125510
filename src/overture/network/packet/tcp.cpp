#include "overture/network/packet/tcp.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "overture/base/check.h"
#include "overture/network/packet/parallel_stack.h"
#include "overture/network/packet/stack.h"

namespace overture::network::packet {
namespace {

constexpr std::uint32_t kMaxWindow = std::uint32_t{1} << 31;
// A SYN on the wire, and the answer: IPv4 20, TCP 20, PPP 2, and as options the window's scale and SACK.
constexpr std::int64_t kSynBytes = 50;

// The offset near `reference` whose low 32 bits are `low`.
std::uint64_t widen(std::uint32_t low, std::uint64_t reference) {
  const auto distance = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(reference));
  return reference + static_cast<std::uint64_t>(std::int64_t{distance});
}

// What a receiver can tell of its window: 16 bits, shifted by up to 14 (RFC 7323, 2.2 and 2.3).
Bytes told(Bytes window) {
  constexpr std::int64_t kMostBits = (1 << 16) - 1;
  int shift = 0;
  while (shift < 14 && window.count() >> shift > kMostBits) ++shift;
  return Bytes{std::min(window.count() >> shift, kMostBits) << shift};
}

}  // namespace

Tcp::Tcp(const PacketConfig& config, const topology::Topology&, Fabric& fabric, Pause pause)
    : Tcp(config.of<TcpConfig>(), fabric, pause, std::make_unique<Shared>()) {}

Tcp::Tcp(const TcpConfig& config, Fabric& fabric, Pause pause, std::unique_ptr<Shared> own)
    : Tcp(config, fabric, pause, *own) {
  own_ = std::move(own);
}

Tcp::Tcp(const TcpConfig& config, Fabric& fabric, Pause pause, Shared& shared)
    : Deliveries(pause),
      config_(config),
      control_(hooks_of(config.control)),
      segment_(static_cast<std::uint32_t>(config.segment.count())),
      header_(static_cast<std::uint32_t>(config.header.count())),
      fabric_(fabric),
      flows_(shared.flows),
      connections_(shared.pairs),
      messages_(shared.messages) {
  config_.first_window = std::min(config.first_window, config.receive_window);
  config_.receive_window = told(config.receive_window);
}

std::size_t Tcp::memory() const {
  return (own_ ? own_->memory() : 0) + losses_.memory() + gaps_.memory() + sack_.memory();
}

std::size_t TcpConnections::memory() const {
  return flows.size() * sizeof(Flow) + pairs.memory() + messages.memory();
}

// ---- connections and messages

std::uint32_t Tcp::new_flow(int from, int to) {
  const auto id = static_cast<std::uint32_t>(flows_.size());
  Flow& flow = flows_.emplace_back();
  flow.source = from;
  flow.destination = to;
  open(id);
  return id;
}

// A fresh connection; offsets go on where the last one of this flow ended, so that its stragglers are told
// apart.
void Tcp::open(std::uint32_t id) {
  Flow& flow = flows_[id];
  Routes& routes = fabric_.routes();
  const bool only = config_.connections == ConnectionUse::per_pair;
  const std::uint64_t entropy =
      only ? routes.only_flow(flow.source, flow.destination) : routes.new_flow(flow.source, flow.destination);
  flow.route = routes.word(flow.source, flow.destination, entropy);
  flow.ack_route = routes.word(flow.destination, flow.source, entropy);
  flow.cwnd = static_cast<std::uint32_t>(config_.initial_window) * segment_;
  flow.window = static_cast<std::uint32_t>(config_.first_window.count());
  flow.ssthresh = config_.slow_start_threshold
                      ? static_cast<std::uint32_t>(std::min<std::int64_t>(
                            *config_.slow_start_threshold * std::int64_t{segment_}, kMaxWindow))
                      : kMaxWindow;
  flow.state = CongestionState::open;
  flow.backoff = flow.duplicates = 0;
  flow.unrewarded = 0;
  flow.recovering = false;
  flow.first_partial = true;
  flow.rtt = flow.rtt_deviation = 0;
  flow.alpha = 1;
  flow.marked = flow.observed = 0;
  flow.mark_window = flow.next;
}

std::uint32_t Tcp::flow_of_pair(int from, int to) {
  const std::uint32_t known = connections_.find(flows_, from, to);
  if (known != kNone) return known;
  const std::uint32_t id = new_flow(from, to);
  connections_.add_last(flows_);
  return id;
}

// The pair's only connection; or an idle one, made new.
std::uint32_t Tcp::connection_for(std::uint32_t first) {
  if (config_.connections == ConnectionUse::per_pair) return first;
  std::uint32_t id = first;
  while (flows_[id].unacked != flows_[id].written && flows_[id].sibling != kNone) id = flows_[id].sibling;
  if (flows_[id].unacked == flows_[id].written) {
    if (flows_[id].written > 0) open(id);
    return id;
  }
  const std::uint32_t added = new_flow(flows_[first].source, flows_[first].destination);
  flows_[added].sibling = flows_[first].sibling;
  return flows_[first].sibling = added;
}

std::uint32_t Tcp::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  check(from != to && bytes > 0, "a message crosses the network and has a byte");
  for (const std::uint32_t done : done_) messages_.give_back(done);
  done_.clear();
  const std::uint32_t index = messages_.take();
  check(index < kAck && flows_.size() < kAck, "at most five hundred million messages and connections");
  messages_[index] = {.end = static_cast<std::uint64_t>(bytes), .flow = flow_of_pair(from, to)};
  posted();
  if (!joins(flows_[messages_[index].flow], index, when))
    fabric_.set_timer(index | kStart, when + config_.send_delay.count());
  return index;
}

// What is sent on a connection at one time is one piece of its stream: packets do not end where it does. The
// first message starts them all.
bool Tcp::joins(Flow& flow, std::uint32_t message, std::int64_t when) {
  if (config_.connections != ConnectionUse::per_pair) return false;
  const bool joins = flow.posted != kNone && flow.posted_at == when;
  if (joins) messages_[flow.posted].next = message;
  flow.posted = message;
  flow.posted_at = when;
  return joins;
}

void Tcp::start(std::uint32_t message) {
  const std::uint32_t id = connection_for(messages_[message].flow);
  Flow& flow = flows_[id];
  while (message != kNone) message = write(id, flow, message);
  if (flow.losses == kNone) return pump(id, flow);
  pump_troubled(id, flow);
}

// Returns the message that is sent at the same time, or kNone.
std::uint32_t Tcp::write(std::uint32_t id, Flow& flow, std::uint32_t index) {
  MessageState& message = messages_[index];
  message.flow = id;
  if (flow.posted == index) flow.posted = kNone;
  const std::uint32_t with_it = std::exchange(message.next, kNone);
  flow.written = message.end += flow.written;
  free_acknowledged(flow);
  const Mail::Start start{.message = index, .previous = flow.last_message};
  if (fabric_.is_here(flow.destination)) {
    expect(start);
  } else {
    (*outboxes_)[static_cast<std::size_t>(fabric_.part_of(flow.destination))]->starts.push_back(start);
  }
  if (flow.last_message != kNone) messages_[flow.last_message].next = index;
  flow.last_message = index;
  if (flow.first_message == kNone) flow.first_message = index;
  return with_it;
}

// The receiver's list of messages; it ends with the previous one, if that has not been received yet.
void Tcp::expect(const Mail::Start& start) {
  const MessageState& message = messages_[start.message];
  Flow& flow = flows_[message.flow];
  if (flow.receiving != kNone) {
    messages_[start.previous].next_received = start.message;
    return;
  }
  flow.receiving = start.message;
  flow.receive_boundary = message.end;
}

void Tcp::finish_received(Flow& flow) {
  while (flow.receiving != kNone && flow.expected >= messages_[flow.receiving].end) {
    delivered(flow.receiving, fabric_.now());
    flow.receiving = messages_[flow.receiving].next_received;
  }
  flow.receive_boundary = flow.receiving == kNone ? ~std::uint64_t{0} : messages_[flow.receiving].end;
}

void Tcp::free_acknowledged(Flow& flow) {
  while (flow.first_message != kNone && messages_[flow.first_message].end <= flow.unacked) {
    const std::uint32_t done = flow.first_message;
    flow.first_message = messages_[done].next;
    if (flow.last_message == done) flow.last_message = kNone;
    done_.push_back(done);
  }
}

// ---- the sender

void Tcp::pump(std::uint32_t id, Flow& flow) {
  const std::uint64_t limit = flow.unacked + std::min(flow.cwnd, flow.window);
  if (flow.next == flow.written) return;
  do {
    const auto length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(segment_, flow.written - flow.next));
    if (flow.next + length > limit) return;
    transmit(id, flow, flow.next, length);
    flow.next += length;
  } while (flow.next != flow.written);
  messages_[flow.last_message].ends_packet = true;
}

void Tcp::transmit(std::uint32_t id, Flow& flow, std::uint64_t offset, std::uint32_t length) {
  Packet packet;
  packet.flow = id;
  packet.sequence = static_cast<std::uint32_t>(offset);
  packet.info = length;
  packet.route = flow.route;
  packet.size = static_cast<std::uint16_t>(header_ + length);
  Routes& routes = fabric_.routes();
  if (routes.per_packet()) packet.route = routes.packet_word(flow.source, flow.destination);
  ++counts_.data_packets;
  time_segment(flow, offset, length);
  if (flow.deadline == kNoTimer) set_deadline(id, flow);
  fabric_.send(flow.source, packet);
}

std::int64_t Tcp::rto(const Flow& flow) const {
  const std::int64_t estimate =
      flow.rtt + std::max(config_.clock_granularity.count(), 4 * flow.rtt_deviation);  // RFC 6298, 2.3
  std::int64_t timeout = std::clamp(estimate, config_.min_rto.count(), config_.max_rto.count());
  for (int doubled = 0; doubled < flow.backoff && timeout < config_.max_rto.count(); ++doubled) timeout *= 2;
  return std::min(timeout, config_.max_rto.count());
}

// As after every ACK of something new, unless it was the last one (RFC 6298, 5.2 and 5.3).
void Tcp::restart_timer(std::uint32_t id, Flow& flow) {
  flow.backoff = 0;
  if (flow.unacked == flow.written) {
    flow.deadline = kNoTimer;
  } else {
    set_deadline(id, flow);
  }
}

// One event a flow that counts: it looks at the deadline when it comes. Where the deadline is nearer than the
// event, another event is set, and this one will count no more.
void Tcp::set_deadline(std::uint32_t id, Flow& flow) {
  flow.deadline = fabric_.now() + rto(flow);
  if (flow.deadline < flow.timer_at) [[unlikely]]
    arm(id, flow);
}

void Tcp::arm(std::uint32_t id, Flow& flow) {
  flow.timer_at = flow.deadline;
  fabric_.set_timer(id, flow.deadline);
}

void Tcp::timer(std::uint32_t id) {
  if ((id & kStart) != 0) return start(id & ~kStart);
  if ((id & kAck) != 0) return send_late_ack(id & ~kAck);
  Flow& flow = flows_[id];
  if (flow.timer_at != fabric_.now()) return;
  flow.timer_at = kNoTimer;
  if (flow.deadline == kNoTimer) return;
  if (flow.rtt == 0) {
    const std::int64_t set = flow.deadline - rto(flow);
    recall_handshake(flow);
    flow.deadline = set + rto(flow);
  }
  if (flow.deadline <= fabric_.now()) return on_timeout(id, flow);
  arm(id, flow);
}

// The first sample of the round trip, looked up when it is needed.
void Tcp::recall_handshake(Flow& flow) const {
  flow.rtt = fabric_.travel_time(flow.source, flow.destination, flow.route, kSynBytes) +
             fabric_.travel_time(flow.destination, flow.source, flow.ack_route, kSynBytes);
  flow.rtt_deviation = flow.rtt / 2;  // RFC 6298, 2.2
}

void Tcp::on_ack(std::uint32_t id, Flow& flow, std::uint64_t ack, bool echo, const SackBlocks* sack) {
  if (sack != nullptr || flow.troubled || ack <= flow.unacked) [[unlikely]] {
    return on_troubled_ack(id, flow, ack, echo, sack);
  }
  const std::uint64_t acknowledged = ack - flow.unacked;
  if (control_.on_ack) control_.on_ack(config_.controls, flow, segment_, acknowledged, echo);
  advance(flow, ack);
  grow_window(flow, segments_of(flow, acknowledged));
  if (flow.unacked == flow.next && flow.first_message != kNone) free_acknowledged(flow);
  restart_timer(id, flow);
  pump(id, flow);
}

void Tcp::advance(Flow& flow, std::uint64_t ack) {
  flow.unacked = ack;
  flow.window = static_cast<std::uint32_t>(config_.receive_window.count());
  const std::optional<std::int64_t> sent = flow.times.acknowledged(ack, segment_);
  if (sent) sample_rtt(flow, fabric_.now() - *sent);
}

// What this ACK is worth for the window, in segments; what remains is kept for the next one.
std::uint64_t Tcp::segments_of(Flow& flow, std::uint64_t acknowledged) const {
  if (acknowledged == segment_) [[likely]]
    return 1;
  std::uint64_t segments = acknowledged / segment_;
  flow.unrewarded += static_cast<std::uint32_t>(acknowledged % segment_);
  if (flow.unrewarded >= segment_) {
    flow.unrewarded -= segment_;
    ++segments;
  }
  return segments;
}

// NewReno, once per ACK (RFC 5681, 3.1). An ACK that ends slow start and is worth more adds for both.
void Tcp::grow_window(Flow& flow, std::uint64_t segments) {
  if (flow.cwnd < flow.ssthresh && segments > 0) {
    flow.cwnd = std::min(flow.cwnd + segment_, kMaxWindow);
    --segments;
  }
  if (flow.cwnd >= flow.ssthresh && segments > 0) {
    flow.cwnd = std::min(flow.cwnd + std::max<std::uint32_t>(1, segment_ * segment_ / flow.cwnd), kMaxWindow);
  }
}

void Tcp::time_segment(Flow& flow, std::uint64_t offset, std::uint32_t length) {
  if (offset >= flow.next) {
    flow.times.sent(offset, length, fabric_.now(), segment_);
  } else {
    flow.times.sent_again(offset, length, segment_);
  }
}

// RFC 6298, 2.3, rounded down as ns-3 does.
void Tcp::sample_rtt(Flow& flow, std::int64_t sample) {
  flow.backoff = 0;
  if (control_.on_round_trip) control_.on_round_trip(config_.controls, flow, segment_, Duration{sample});
  if (flow.rtt == 0) recall_handshake(flow);
  const std::int64_t error = sample - flow.rtt;
  flow.rtt += error >> 3;
  flow.rtt_deviation += (std::max(error, -error) - flow.rtt_deviation) >> 2;
}

// ---- the receiver

void Tcp::receive(const Packet& packet) {
  if (packet.kind == Kind::data) return on_data(packet);
  Flow& flow = flows_[packet.flow];
  const std::uint64_t ack = widen(packet.sequence, flow.unacked);
  const bool echo = (packet.flags & kCongested) != 0;
  if (packet.info == kNone) [[likely]]
    return on_ack(packet.flow, flow, ack, echo, nullptr);
  const SackBlocks blocks = sack_[packet.info];
  sack_.give_back(packet.info);
  on_ack(packet.flow, flow, ack, echo, &blocks);
}

void Tcp::on_data(const Packet& packet) {
  Flow& flow = flows_[packet.flow];
  const std::uint64_t before = flow.expected;
  const std::uint64_t offset = widen(packet.sequence, before);
  bool gaps = false;
  if (offset == before && flow.gaps == kNone) [[likely]] {
    flow.expected += packet.info;
  } else {
    gaps = hold(flow, offset, packet.info);
  }
  counts_.payload_bytes += flow.expected - before;
  if (flow.expected >= flow.receive_boundary) finish_received(flow);
  acknowledge(packet.flow, flow, (packet.flags & kCongested) != 0, gaps);
}

// A packet out of order, or one that may close a gap. Are there gaps after it?
bool Tcp::hold(Flow& flow, std::uint64_t offset, std::uint32_t length) {
  if (offset + length <= flow.expected) {
    ++counts_.duplicates;
    return flow.gaps != kNone;
  }
  if (flow.gaps == kNone) {
    flow.gaps = gaps_.take();
    gaps_[flow.gaps].clear();
  }
  Reassembly& held = gaps_[flow.gaps];
  if (!held.add({.begin = offset, .end = offset + length}, flow.expected)) ++counts_.duplicates;
  flow.expected = held.release(flow.expected);
  if (!held.empty()) return true;
  gaps_.give_back(flow.gaps);
  flow.gaps = kNone;
  return false;
}

void Tcp::acknowledge(std::uint32_t id, Flow& flow, bool congested, bool gaps) {
  Packet ack;
  ack.kind = Kind::ack;
  ack.flow = id;
  ack.sequence = static_cast<std::uint32_t>(flow.expected);
  ack.size = static_cast<std::uint16_t>(config_.ack.count());
  ack.info = kNone;
  ack.flags = congested ? kCongested : std::uint8_t{0};
  ack.route = flow.ack_route;
  if (gaps) [[unlikely]] {
    const SackBlocks& blocks = gaps_[flow.gaps].blocks();
    if (blocks.count > 0) ack.info = keep_blocks(blocks);
    ack.size = static_cast<std::uint16_t>(ack.size + blocks.bytes());
  }
  Routes& routes = fabric_.routes();
  if (routes.per_packet()) ack.route = routes.packet_word(flow.destination, flow.source);
  if (config_.ack_delay == Duration{}) [[likely]]
    return fabric_.send(flow.destination, ack);
  late_acks_[id].push_back(ack);
  fabric_.set_timer(id | kAck, fabric_.now() + config_.ack_delay.count());
}

// The oldest of the flow: all are equally late.
void Tcp::send_late_ack(std::uint32_t id) {
  std::deque<Packet>& waiting = late_acks_[id];
  fabric_.send(flows_[id].destination, waiting.front());
  waiting.pop_front();
}

std::uint32_t Tcp::keep_blocks(const SackBlocks& blocks) {
  for (const std::uint32_t lost : fabric_.orphans()) sack_.give_back(lost);
  fabric_.orphans().clear();
  const std::uint32_t index = sack_.take();
  sack_[index] = blocks;
  return index;
}

// ---- between parts

void Tcp::pack(Packet& packet, Mail& mail) {
  if (packet.kind != Kind::ack || packet.info == kNone) return;
  mail.blocks.push_back(sack_[packet.info]);
  sack_.give_back(packet.info);
  packet.info = static_cast<std::uint32_t>(mail.blocks.size() - 1);
}

void Tcp::unpack(Packet& packet, const Mail& mail) {
  if (packet.kind == Kind::ack && packet.info != kNone) packet.info = keep_blocks(mail.blocks[packet.info]);
}

void Tcp::read(const Mail& mail) {
  for (const Mail::Start& start : mail.starts) expect(start);
}

std::unique_ptr<Stack> TcpConfig::make(const topology::Topology& topology, const PacketConfig& config,
                                       Pause pause) {
  return std::make_unique<StackOf<Fabric, Tcp>>(topology, config, pause);
}

std::unique_ptr<Stack> TcpConfig::make_parts(const topology::Topology& topology, const PacketConfig& config) {
  const auto make = [&](Fabric& fabric, Pause never, Tcp::Shared& shared) {
    return Tcp(config.of<TcpConfig>(), fabric, never, shared);
  };
  return std::make_unique<ParallelStack<Tcp>>(topology, config, make);
}

}  // namespace overture::network::packet
