#include "overture/network/rotor/packet_engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/base/hash.h"

namespace overture::network::rotor {
namespace {

void set(std::vector<std::uint32_t>& names, std::uint32_t at, std::uint32_t name) {
  if (at >= names.size()) names.resize(at + 1);
  names[at] = name;
}

}  // namespace

PacketEngine::PacketEngine(const topology::Opera& opera, const topology::OperaPaths& paths,
                           const RotorConfig& config)
    : opera_(opera),
      paths_(paths),
      config_(config),
      queues_(opera.hosts()),
      scheduler_(opera, config, queues_),
      turns_(turns_per_slot(opera, config)),
      slice_time_(opera.timing().slice().count()),
      packet_size_(static_cast<std::uint16_t>(config.packet.count())),
      packet_time_(transfer_time(config.packet, config.rate).count()),
      control_time_(transfer_time(config.low_latency.control, config.rate).count()),
      committer_(opera.slot(), transfer_time(config.packet, config.rate) * opera.uplinks(), turns_, queues_),
      low_(config, opera.hosts()),
      limits_{.bytes = config.low_latency.queue_packets * config.packet.count(),
              .header = static_cast<std::uint16_t>(config.low_latency.control.count())},
      coins_(RandomStreams(config.seed).make("trim")),
      ways_(RandomStreams(config.seed).make("opera paths")),
      events_({packet_time_, config.wire.count(), control_time_}) {
  require_sound(config, opera);
  for (int host = 0; host < opera.hosts(); ++host) {
    nics_.emplace_back(host, opera.uplinks(), packet_size_, queues_);
  }
  port_queues_.resize(static_cast<std::size_t>(opera.tors() * ports()));
  wires_.resize(static_cast<std::size_t>(opera.tors() * opera.uplinks()));
}

void PacketEngine::require_paths() const {
  for (int slice = 0; slice < opera_.slices(); ++slice) {
    for (int tor = 1; tor < opera_.tors(); ++tor) {
      if (paths_.count(slice, 0, tor) > 0 && paths_.count(slice, tor, 0) > 0) continue;
      throw UserError(fmt::format("in slice {} there is no path between ToRs 0 and {}", slice, tor),
                      "send everything as bulk, or use a schedule whose slices are connected");
    }
  }
}

// ---- events

void PacketEngine::push(What what, std::int64_t when, std::uint32_t id, std::uint32_t tie) {
  events_.push(when, std::uint64_t{static_cast<std::uint8_t>(what)} << 32 | tie, id);
}

void PacketEngine::run(std::int64_t limit) {
  while (events_.next_time() <= limit) {
    const EventLanes::Event event = events_.pop();
    now_ = event.when;
    digest_ = digest_step(digest_ ^ static_cast<std::uint64_t>(event.when) ^ (event.order << 24) ^ event.id);
    dispatch(static_cast<What>(event.order >> 32), event.id);
  }
}

void PacketEngine::dispatch(What what, std::uint32_t id) {
  switch (what) {
    case What::start: return start(id);
    case What::slot_end: return end_slot(id);
    case What::slice: return begin_slice();
    case What::landing:
    case What::next_landing: return land(id);
    case What::port: return port_done(id);
    case What::nic: return nic_done(static_cast<int>(id));
    case What::pacer: low_.pacer(id, now_); return low_latency_did();
    case What::timer: return time_out(id);
    case What::resend: return resend(id);
  }
}

// ---- messages

std::uint32_t PacketEngine::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  check(from != to && bytes > 0, "a message crosses the network and has a byte");
  if (is_low_latency(bytes) && !paths_required_) {
    require_paths();
    paths_required_ = true;
  }
  const std::uint32_t name = starts_.keep({.from = from, .to = to, .bytes = bytes});
  ++outstanding_;
  push(What::start, when, name);
  return name;
}

void PacketEngine::start(std::uint32_t name) {
  const Start& message = starts_[name];
  if (is_low_latency(message.bytes)) {
    set(low_names_, low_.start(message.from, message.to, message.bytes, now_), name);
    return low_latency_did();
  }
  set(bulk_names_, queues_.add(message.from, message.to, packets_of(message.bytes, config_)), name);
  ++bulk_outstanding_;
  arm_slice();
}

void PacketEngine::finish(std::uint32_t name) {
  finished_.push_back({.message = name, .when = now_});
  starts_.give_back(name);
  --outstanding_;
}

// Puts what the low-latency class wants sent and called where it belongs.
void PacketEngine::low_latency_did() {
  for (const RotorPacket& packet : low_.outbox()) {
    nics_[static_cast<std::size_t>(packet.from)].push(packet);
    kick_nic(packet.from);
  }
  low_.outbox().clear();
  for (const LowLatency::Alarm& alarm : low_.alarms()) {
    push(alarm.of_pacer ? What::pacer : What::timer, alarm.when, alarm.id);
  }
  low_.alarms().clear();
  for (const Finished& done : low_.finished()) finish(low_names_[done.message]);
  low_.finished().clear();
}

void PacketEngine::time_out(std::uint32_t id) {
  if (faults_ != nullptr && waits_for_path(id)) return;
  low_.timer(id, now_);
  low_latency_did();
}

// ---- slices

int PacketEngine::slice_now() {
  if (now_ - slice_begin_ >= slice_time_) {
    slice_begin_ = now_ / slice_time_ * slice_time_;
    slice_ = static_cast<int>(now_ / slice_time_ % opera_.slices());
  }
  return slice_;
}

// The ToR behind an uplink now, or -1 in the dark.
int PacketEngine::peer_now(int tor, int uplink) {
  const int slice = slice_now();
  const bool dark = now_ - slice_begin_ >= slice_time_ - opera_.timing().dark.count();
  return dark && uplink == opera_.dark_rotor(slice) ? -1 : opera_.peer(slice, tor, uplink);
}

void PacketEngine::arm_slice() {
  if (slice_armed_ || bulk_outstanding_ == 0) return;
  slice_armed_ = true;
  const std::int64_t next = std::max(last_slice_ + 1, (now_ + slice_time_ - 1) / slice_time_);
  push(What::slice, next * slice_time_, 0);
}

void PacketEngine::begin_slice() {
  slice_armed_ = false;
  last_slice_ = now_ / slice_time_;
  ++counts_.slices;
  const auto slice = static_cast<int>(last_slice_ % opera_.slices());
  const int rotor = opera_.fresh_rotor(slice);
  if (load_ != nullptr) note_waiting();
  if (faults_ != nullptr) follow_faults();
  scheduler_.plan(slice);
  for (int host = 0; host < opera_.hosts(); ++host) {
    if (scheduler_.of(host).empty()) continue;
    std::vector<Committed> packets;
    committer_.commit(host, scheduler_.of(host), packets);
    nics_[static_cast<std::size_t>(host)].commit(rotor, std::move(packets), turns_);
    kick_nic(host);
  }
  push(What::slot_end, now_ + opera_.slot().count(), static_cast<std::uint32_t>(rotor));
  arm_slice();
}

// Bulk that waits at the hosts for circuits.
void PacketEngine::note_waiting() {
  for (int host = 0; host < opera_.hosts(); ++host)
    load_->queue(links_.from_host(host), now_, queues_.waiting(host) * packet_size_);
}

void PacketEngine::end_slot(std::uint32_t rotor) {
  for (RotorNic& nic : nics_) nic.clear(static_cast<int>(rotor));
}

// ---- hosts

void PacketEngine::kick_nic(int host) {
  RotorNic& nic = nics_[static_cast<std::size_t>(host)];
  if (nic.busy() || nic.empty()) return;
  const auto tie = static_cast<std::uint32_t>(nic.rotor() * opera_.hosts() + host);
  push(What::nic, now_ + time_of(nic.begin()), static_cast<std::uint32_t>(host), tie);
}

void PacketEngine::nic_done(int host) {
  std::optional<RotorPacket> packet = nics_[static_cast<std::size_t>(host)].finish();
  if (packet) {
    const int tor = opera_.tor_of(host);
    if (load_ != nullptr) load_->carry(links_.from_host(host), now_, packet->size);
    if (packet->kind != PacketKind::bulk) label(*packet, tor);
    if (faults_ == nullptr || !loses(*packet, {.from = host, .to_tor = tor})) enter(tor, *packet);
  }
  kick_nic(host);
}

// A low-latency packet's path is fixed when it leaves its host (or turns round at a ToR): one of this
// slice's.
void PacketEngine::label(RotorPacket& packet, int tor) {
  if (faults_ != nullptr) follow_faults();
  packet.slice = slice_now();
  packet.first_tor = static_cast<std::uint16_t>(tor);
  packet.hop = 0;
  const int count = ways_now_->count(packet.slice, tor, opera_.tor_of(packet.to));
  packet.path = count > 1 ? static_cast<std::uint16_t>(ways_.below(static_cast<std::uint64_t>(count))) : 0;
}

void PacketEngine::arrive(const RotorPacket& packet) {
  if (packet.kind != PacketKind::bulk) {
    low_.receive(packet, now_);
    return low_latency_did();
  }
  BulkMessage& message = queues_.message(packet.message);
  if (message.to != packet.to) {
    ++counts_.bulk_relayed;
    queues_.push_back(Waiting::relayed, packet.to, message.to, packet.message, 1);
    return pass_on(packet.to, packet.message);
  }
  ++counts_.bulk_delivered;
  if (--message.packets_left > 0) return;
  const std::uint32_t name = bulk_names_[packet.message];
  counts_.delivered += Bytes{starts_[name].bytes};
  queues_.remove(packet.message);
  --bulk_outstanding_;
  finish(name);
}

void PacketEngine::give_back(const RotorPacket& packet) {
  ++counts_.bulk_returned;
  queues_.give_back(packet.from, packet.message);
  pass_on(packet.from, packet.message);
}

// ---- ToRs

// The packet is at a ToR: down to its host if this is the rack, else up.
void PacketEngine::enter(int tor, const RotorPacket& packet) {
  const int down = packet.to % opera_.hosts_per_tor();
  const int rack = opera_.tor_of(packet.to);
  if (packet.kind == PacketKind::bulk) {
    if (rack != tor) return to_port(tor, opera_.hosts_per_tor() + packet.path, packet);
    if (opera_.tor_of(packet.from) == tor) ++counts_.bulk_in_rack;
    return to_port(tor, down, packet);
  }
  if (packet.first_tor == rack) return to_port(tor, down, packet);
  // Where ways have changed since the packet set out, or none is left, it may be lost.
  if (faults_ != nullptr && packet.path >= ways_now_->count(packet.slice, packet.first_tor, rack)) {
    ++counts_.lost;
    return;
  }
  const auto path = ways_now_->path(packet.slice, packet.first_tor, rack, packet.path);
  if (packet.hop < path.size()) return to_port(tor, opera_.hosts_per_tor() + path[packet.hop], packet);
  // If the circuits have changed under way this is another rack, where nobody knows it.
  to_port(tor, down, packet);
}

void PacketEngine::to_port(int tor, int port, const RotorPacket& packet) {
  if (load_ != nullptr) note_queue(tor, port);
  const TorQueue::Pushed pushed = port_queues_[port_id(tor, port)].push(packet, limits_, coins_);
  if (pushed.trimmed) ++counts_.trims;
  kick_port(tor, port);
  if (pushed.overflow) bounce(tor, *pushed.overflow);
}

// What stands before a packet that joins.
void PacketEngine::note_queue(int tor, int port) {
  const int link = port < opera_.hosts_per_tor() ? links_.to_host(tor * opera_.hosts_per_tor() + port)
                                                 : links_.to_rotor(tor, port - opera_.hosts_per_tor());
  load_->queue(link, now_, port_queues_[port_id(tor, port)].bytes(packet_size_));
}

// A header that finds its queue full turns round; anything else is lost.
void PacketEngine::bounce(int tor, RotorPacket packet) {
  const bool header = packet.kind == PacketKind::header;
  if (packet.turned || (!header && !config_.defects.answers_turn_round)) {
    ++counts_.overflows;
    return;
  }
  ++counts_.bounces;
  packet.turned = true;
  if (header) packet.kind = PacketKind::bounced;
  std::swap(packet.from, packet.to);
  label(packet, tor);
  enter(tor, packet);
}

void PacketEngine::kick_port(int tor, int port) {
  TorQueue& queue = port_queues_[port_id(tor, port)];
  if (queue.busy() || queue.empty()) return;
  push(What::port, now_ + time_of(queue.begin()), port_id(tor, port), port_id(tor, port));
}

void PacketEngine::port_done(std::uint32_t id) {
  const int tor = static_cast<int>(id) / ports();
  const int port = static_cast<int>(id) % ports();
  TorQueue& queue = port_queues_[id];
  if (queue.serving() == TorQueue::Serving::bulk && port >= opera_.hosts_per_tor()) {
    // Bulk whose circuit has gone returns to its host, and the first that still has one leaves instead.
    const int peer = peer_now(tor, port - opera_.hosts_per_tor());
    while (queue.has_bulk() && opera_.tor_of(queue.first_bulk().to) != peer) give_back(queue.pop_bulk());
    if (queue.has_bulk()) {
      leave(tor, port, queue.pop_bulk());
    }
    queue.end_service();
  } else {
    leave(tor, port, queue.finish());
  }
  kick_port(tor, port);
}

void PacketEngine::leave(int tor, int port, const RotorPacket& packet) {
  if (port < opera_.hosts_per_tor()) {
    if (opera_.tor_of(packet.to) != tor) {
      ++counts_.lost;
      return;
    }
    if (load_ != nullptr) load_->carry(links_.to_host(packet.to), now_, packet.size);
    if (faults_ != nullptr && loses(packet, {.to = packet.to, .from_tor = tor})) return;
    return arrive(packet);
  }
  if (packet.kind == PacketKind::data) ++counts_.low_hops;
  const int uplink = port - opera_.hosts_per_tor();
  if (load_ != nullptr) load_->carry(links_.to_rotor(tor, uplink), now_, packet.size);
  const auto wire = static_cast<std::uint32_t>(uplink * opera_.tors() + tor);
  const std::int64_t lands = now_ + config_.wire.count();
  const bool follows = packet.kind != PacketKind::bulk && !wires_[wire].empty();
  push(follows ? What::next_landing : What::landing, lands, wire, wire);
  wires_[wire].push_back({.lands = lands, .packet = packet});
}

// The end of the wire: the circuit of this moment says where that is.
void PacketEngine::land(std::uint32_t id) {
  RotorPacket packet = wires_[id].front().packet;
  wires_[id].pop_front();
  const int uplink = static_cast<int>(id) / opera_.tors();
  const int tor = static_cast<int>(id) % opera_.tors();
  const int peer = peer_now(tor, uplink);
  if (load_ != nullptr && peer >= 0) load_->carry(links_.from_rotor(uplink, peer), now_, packet.size);
  if (faults_ != nullptr && peer >= 0 && loses(packet, {.from_tor = tor, .to_tor = peer, .rotor = uplink}))
    return;
  if (packet.kind == PacketKind::bulk) {
    if (peer != opera_.tor_of(packet.to)) return give_back(packet);
    return enter(peer, packet);
  }
  if (peer < 0) {
    ++counts_.lost;
    return;
  }
  ++packet.hop;
  enter(peer, packet);
}

RotorStatistics PacketEngine::statistics() const {
  RotorStatistics all = counts_;
  const RotorStatistics& low = low_.counts();
  all.low_delivered = low.low_delivered;
  all.timeouts = low.timeouts;
  all.retransmissions = low.retransmissions;
  all.delivered += low.delivered;
  all.memory = queues_.memory();
  return all;
}

}  // namespace overture::network::rotor
