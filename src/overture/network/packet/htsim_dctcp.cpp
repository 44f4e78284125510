#include "overture/network/packet/htsim_dctcp.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/network/packet/stack.h"

namespace overture::network::packet {
namespace {

// A stamp counts so many ps: 32 bits hold 70 s, and what is lost matters to no timeout of 10 ms.
constexpr int kStampShift = 14;

constexpr std::uint32_t kSyn = 0;

}  // namespace

HtsimDctcp::HtsimDctcp(const PacketConfig& config, const topology::Topology&, Fabric& fabric, Pause pause)
    : Deliveries(pause),
      config_(config.of<HtsimDctcpConfig>()),
      segment_(static_cast<std::uint32_t>(config_.packet.count())),
      fabric_(fabric) {}

std::uint32_t HtsimDctcp::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  check(from != to && bytes > 0, "a message crosses the network and has a byte");
  for (const std::uint32_t done : done_) flows_.give_back(done);
  done_.clear();
  const std::uint32_t id = flows_.take();
  check(id < kStart, "at most a thousand million messages");
  Flow& flow = flows_[id];
  const std::int64_t timer_at = flow.timer_at;
  flow = {};
  flow.timer_at = timer_at;
  flow.source = from;
  flow.destination = to;
  flow.bytes = bytes;
  const std::int64_t least = std::max<std::int64_t>(bytes, segment_) - 1;
  require_countable((least + segment_ - 1) / segment_, segment_, std::int64_t{1} << 31);
  flow.packets = 1 + static_cast<std::uint32_t>((least + segment_ - 1) / segment_);
  flow.cwnd = static_cast<std::uint32_t>(config_.initial_window) * segment_;
  flow.ssthresh = static_cast<std::uint32_t>(config_.slow_start_threshold) * segment_;
  flow.observed_window = 2 * segment_;
  flow.rto = config_.min_rto.count();
  posted();
  fabric_.set_timer(id | kStart, when);
  return id;
}

// ---- the sender

void HtsimDctcp::open(std::uint32_t id, Flow& flow) {
  flow.route = fabric_.routes().word(flow.source, flow.destination,
                                     fabric_.routes().new_flow(flow.source, flow.destination));
  flow.sent = 1;
  send(id, flow, kSyn);
}

void HtsimDctcp::send(std::uint32_t id, Flow& flow, std::uint32_t number) {
  const std::uint32_t old_stamp = take_stamp();
  Packet packet;
  packet.kind = Kind::data;
  packet.flags = kTellLoss;
  packet.flow = id;
  packet.sequence = number;
  packet.size = number == kSyn ? std::uint16_t{1} : static_cast<std::uint16_t>(segment_);
  packet.info = number == kSyn && !config_.stamp_syn ? old_stamp : stamp();
  packet.route = flow.route;
  Routes& routes = fabric_.routes();
  if (routes.per_packet()) packet.route = routes.packet_word(flow.source, flow.destination);
  ++flow.flying;
  ++counts_.data_packets;
  if (number < flow.reached) ++counts_.retransmissions;  // a timeout sends the whole window again
  flow.reached = std::max(flow.reached, number + 1);
  fabric_.send(flow.source, packet);
  if (flow.deadline == kNever) set_deadline(id, flow);
}

void HtsimDctcp::send_allowed(std::uint32_t id, Flow& flow) {
  while (flow.sent < flow.packets && flow.cwnd / segment_ >= flow.sent - flow.acked + 1) {
    send(id, flow, flow.sent++);
  }
}

void HtsimDctcp::resend(std::uint32_t id, Flow& flow) { send(id, flow, flow.acked); }

void HtsimDctcp::on_ack(std::uint32_t id, Flow& flow, std::uint32_t stamp, bool echo) {
  observe_mark(flow, echo);
  const std::uint32_t ack = flow.expected;
  sample_rtt(flow, stamp);
  if (ack == flow.packets) return finish(id, flow);
  if (ack > flow.acked) return on_new_ack(id, flow, ack);
  on_duplicate(id, flow);
}

void HtsimDctcp::on_new_ack(std::uint32_t id, Flow& flow, std::uint32_t ack) {
  set_deadline(id, flow);
  if (ack >= flow.sent) {
    flow.sent = ack;
    flow.deadline = kNever;
  }
  if (!flow.recovering) {
    flow.acked = ack;
    flow.duplicates = 0;
    grow(flow);
    return send_allowed(id, flow);
  }
  if (ack >= flow.recover) {
    flow.cwnd = std::min(flow.ssthresh, (flow.sent - ack) * segment_ + segment_);
    flow.acked = ack;
    flow.duplicates = 0;
    flow.recovering = false;
    return send_allowed(id, flow);
  }
  // More than one packet of the window was lost.
  const std::uint32_t news = (ack - flow.acked) * segment_;
  flow.acked = ack;
  flow.cwnd = (news < flow.cwnd ? flow.cwnd - news : 0) + segment_;
  resend(id, flow);
  send_allowed(id, flow);
}

void HtsimDctcp::on_duplicate(std::uint32_t id, Flow& flow) {
  if (flow.recovering) {
    flow.cwnd += segment_;
    return send_allowed(id, flow);
  }
  if (++flow.duplicates != 3) return send_allowed(id, flow);
  if (flow.acked < flow.recover) return;  // RFC 3782: not yet over the last loss
  ++counts_.recoveries;
  deflate(flow);
  resend(id, flow);
  flow.cwnd = flow.ssthresh + 3 * segment_;
  flow.recovering = true;
  flow.recover = flow.sent;
}

void HtsimDctcp::observe_mark(Flow& flow, bool echo) {
  ++flow.observed;
  if (echo) {
    ++flow.marked;
    flow.ssthresh = std::min(flow.ssthresh, flow.cwnd);
  }
  if (flow.observed * segment_ < flow.observed_window) return;
  const double share = static_cast<double>(flow.marked) / flow.observed;
  flow.alpha = (1 - config_.gain) * flow.alpha + config_.gain * share;
  flow.observed = flow.marked = 0;
  if (flow.alpha > 0) {
    flow.cwnd = std::max(segment_, static_cast<std::uint32_t>(flow.cwnd * (1 - flow.alpha / 2)));
    flow.ssthresh = flow.cwnd;
  }
  flow.observed_window = flow.cwnd;
}

void HtsimDctcp::grow(Flow& flow) const {
  const std::int64_t room = std::int64_t{flow.cwnd} - std::int64_t{flow.sent - flow.acked} * segment_;
  if (room < 0) return;
  const auto news = static_cast<std::uint32_t>(std::min<std::int64_t>(room, segment_));
  if (flow.cwnd < flow.ssthresh) {
    flow.cwnd += std::min(flow.ssthresh - flow.cwnd, news);
  } else {
    flow.cwnd += static_cast<std::uint32_t>(std::uint64_t{news} * segment_ / flow.cwnd);
  }
}

void HtsimDctcp::deflate(Flow& flow) const {
  flow.observed = flow.marked = 0;
  flow.ssthresh = std::max(flow.cwnd / 2, 2 * segment_);
  flow.observed_window = flow.cwnd;
}

void HtsimDctcp::sample_rtt(Flow& flow, std::uint32_t sent_at) {
  const std::int64_t sample = std::int64_t{stamp() - sent_at} << kStampShift;
  if (sample > 0 && flow.rtt == 0) {
    flow.rtt = sample;
    flow.rtt_deviation = sample / 2;
  } else if (sample > 0) {
    const std::int64_t error = sample > flow.rtt ? sample - flow.rtt : flow.rtt - sample;
    flow.rtt_deviation = 3 * flow.rtt_deviation / 4 + error / 4;
    flow.rtt = 7 * flow.rtt / 8 + sample / 8;
  }
  if (sample > 0) flow.rto = flow.rtt + 4 * flow.rtt_deviation;
  flow.rto = std::max(flow.rto, config_.min_rto.count());
}

void HtsimDctcp::finish(std::uint32_t id, Flow& flow) {
  flow.finished = true;
  flow.timed_out = false;
  flow.deadline = kNever;
  if (flow.gaps != kNone) gaps_.give_back(flow.gaps);
  counts_.payload_bytes += static_cast<std::uint64_t>(flow.bytes);
  delivered(id, fabric_.now());
}

void HtsimDctcp::release_if_done(std::uint32_t id, const Flow& flow) {
  if (flow.finished && flow.flying == 0) done_.push_back(id);
}

// ---- timers

void HtsimDctcp::set_deadline(std::uint32_t id, Flow& flow) {
  flow.deadline = fabric_.now() + flow.rto;
  arm(id, flow, flow.deadline);
}

// htsim looks at all timers once per scan: one has run out when its deadline is before that.
void HtsimDctcp::arm(std::uint32_t id, Flow& flow, std::int64_t deadline) {
  const std::int64_t when = (deadline / config_.scan.count() + 1) * config_.scan.count();
  if (when >= flow.timer_at) return;
  flow.timer_at = when;
  fabric_.set_timer(id, when);
}

void HtsimDctcp::timer(std::uint32_t id) {
  if ((id & kStart) != 0) return open(id & ~kStart, flows_[id & ~kStart]);
  Flow& flow = flows_[id];
  if (flow.timer_at != fabric_.now()) return;  // another one was set since
  flow.timer_at = kNever;
  if (flow.timed_out) return on_timeout(id, flow);
  scan(id, flow);
}

// Some microseconds pass between the scan and the packet that is sent again.
void HtsimDctcp::scan(std::uint32_t id, Flow& flow) {
  if (flow.deadline == kNever) return;
  const std::int64_t now = fabric_.now();
  if (flow.deadline >= now) return arm(id, flow, flow.deadline);
  flow.timed_out = true;
  flow.rto *= 2;
  const std::int64_t late = now - flow.deadline;
  flow.deadline = now + flow.rto;
  flow.timer_at = now + (config_.scan.count() - late) / 200;
  fabric_.set_timer(id, flow.timer_at);
}

void HtsimDctcp::on_timeout(std::uint32_t id, Flow& flow) {
  ++counts_.timeouts;
  flow.timed_out = false;
  if (flow.recovering) flow.cwnd = std::min(flow.ssthresh, (flow.sent - flow.acked + 1) * segment_);
  deflate(flow);
  flow.cwnd = segment_;
  flow.recovering = false;
  flow.recover = flow.sent;
  flow.duplicates = 0;
  if (established(flow)) flow.sent = flow.acked + 1;
  resend(id, flow);
  scan(id, flow);  // sets the timer again
}

// ---- the receiver

void HtsimDctcp::receive(const Packet& packet) {
  collect_lost();
  old_stamps_.push_back(packet.info);
  Flow& flow = flows_[packet.flow];
  --flow.flying;
  if (flow.finished) {
    ++counts_.duplicates;
    return release_if_done(packet.flow, flow);
  }
  if (packet.sequence == flow.expected && flow.gaps == kNone) [[likely]] {
    ++flow.expected;
  } else {
    hold(flow, packet.sequence);
  }
  on_ack(packet.flow, flow, packet.info, (packet.flags & kCongested) != 0);
  release_if_done(packet.flow, flow);
}

void HtsimDctcp::hold(Flow& flow, std::uint32_t number) {
  if (number < flow.expected) {
    ++counts_.duplicates;
    return;
  }
  if (flow.gaps == kNone) {
    flow.gaps = gaps_.take();
    gaps_[flow.gaps].clear();
  }
  Reassembly& held = gaps_[flow.gaps];
  if (!held.add({.begin = number, .end = std::uint64_t{number} + 1}, flow.expected)) ++counts_.duplicates;
  flow.expected = static_cast<std::uint32_t>(held.release(flow.expected));
  if (!held.empty()) return;
  gaps_.give_back(flow.gaps);
  flow.gaps = kNone;
}

// ---- time stamps

std::uint32_t HtsimDctcp::stamp() const { return static_cast<std::uint32_t>(fabric_.now() >> kStampShift); }

// What a packet has from its last life; a new one has 0.
std::uint32_t HtsimDctcp::take_stamp() {
  collect_lost();
  if (old_stamps_.empty()) return 0;
  const std::uint32_t stamp = old_stamps_.back();
  old_stamps_.pop_back();
  return stamp;
}

void HtsimDctcp::collect_lost() {
  for (const Packet& packet : fabric_.lost()) {
    old_stamps_.push_back(packet.info);
    Flow& flow = flows_[packet.flow];
    --flow.flying;
    release_if_done(packet.flow, flow);
  }
  fabric_.lost().clear();
}

std::unique_ptr<Stack> HtsimDctcpConfig::make(const topology::Topology& topology, const PacketConfig& config,
                                              Pause pause) {
  return std::make_unique<StackOf<Fabric, HtsimDctcp>>(topology, config, pause);
}

}  // namespace overture::network::packet
