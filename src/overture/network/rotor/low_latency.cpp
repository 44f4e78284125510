#include "overture/network/rotor/low_latency.h"

#include <algorithm>
#include <cmath>

namespace overture::network::rotor {

LowLatency::LowLatency(const RotorConfig& config, int hosts)
    : config_(config),
      payload_((config.packet - config.header).count()),
      pull_gap_(std::llround(static_cast<double>(transfer_time(config.packet, config.rate).count()) /
                             config.low_latency.pull_rate)),
      pacers_(static_cast<std::size_t>(hosts)) {}

std::uint32_t LowLatency::start(int from, int to, std::int64_t bytes, std::int64_t now) {
  const auto packets = static_cast<std::uint32_t>(packets_of(bytes, config_));
  std::uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  const bool timer_set = messages_[id].timer_set;  // of an earlier message, serves this one too
  messages_[id] = {.from = from,
                   .to = to,
                   .bytes = bytes,
                   .serial = ++serial_,
                   .packets = packets,
                   .timer_set = timer_set,
                   .in_use = true,
                   .news = now,
                   .state = std::vector<State>(packets, State::unsent),
                   .has = std::vector<bool>(packets, false)};
  ++outstanding_;
  for (int i = 0; i < config_.low_latency.initial_window && send_next(id); ++i) {
  }
  if (!config_.defects.lost_pulls_stay_lost) set_timer(id, now + config_.low_latency.timeout.count());
  return id;
}

// ---- the sender

std::uint16_t LowLatency::packet_size(const Message& message, std::uint32_t number) const {
  if (config_.low_latency.pad_packets || number + 1 < message.packets) {
    return static_cast<std::uint16_t>(config_.packet.count());
  }
  return static_cast<std::uint16_t>(message.bytes - payload_ * number + config_.header.count());
}

void LowLatency::send(std::uint32_t id, std::uint32_t number, bool again) {
  Message& message = messages_[id];
  message.state[number] = State::in_flight;
  ++message.in_flight;
  if (again) ++counts_.retransmissions;
  outbox_.push_back({.kind = PacketKind::data,
                     .again = again,
                     .size = packet_size(message, number),
                     .from = message.from,
                     .to = message.to,
                     .message = id,
                     .serial = message.serial,
                     .number = number});
}

// One packet: one that is wanted again, else a new one. False: there is none.
bool LowLatency::send_next(std::uint32_t id) {
  Message& message = messages_[id];
  while (!message.again.empty()) {
    const std::uint32_t number = message.again.front();
    message.again.pop_front();
    if (message.state[number] != State::wanted) continue;
    send(id, number, true);
    return true;
  }
  if (message.next == message.packets) return false;
  send(id, message.next++, false);
  return true;
}

void LowLatency::want(std::uint32_t id, std::uint32_t number) {
  Message& message = messages_[id];
  if (message.state[number] != State::in_flight) return;
  --message.in_flight;
  message.state[number] = State::wanted;
  message.again.push_back(number);
}

void LowLatency::receive_ack(std::uint32_t id, std::uint32_t number) {
  Message& message = messages_[id];
  if (message.state[number] == State::acked) return;
  if (message.state[number] == State::in_flight) --message.in_flight;
  message.state[number] = State::acked;
  ++message.acked;
}

// Nothing was heard for a while: PULLs, or packets and what was said about them, are lost. All that is under
// way counts as lost, and a window may leave without being asked for.
void LowLatency::timer(std::uint32_t id, std::int64_t now) {
  Message& message = messages_[id];
  message.timer_set = false;
  if (!message.in_use) return;
  const std::int64_t due = message.news + config_.low_latency.timeout.count();
  if (now < due) return set_timer(id, due);
  ++counts_.timeouts;
  for (std::uint32_t number = 0; number < message.next; ++number) want(id, number);
  for (int i = 0; i < config_.low_latency.initial_window && send_next(id); ++i) {
  }
  message.news = now;
  set_timer(id, now + config_.low_latency.timeout.count());
}

void LowLatency::set_timer(std::uint32_t id, std::int64_t when) {
  if (messages_[id].timer_set) return;
  messages_[id].timer_set = true;
  alarms_.push_back({.when = when, .id = id, .of_pacer = false});
}

// ---- both

void LowLatency::receive(const RotorPacket& packet, std::int64_t now) {
  const std::uint32_t id = packet.message;
  Message& message = messages_[id];
  if (!message.in_use || message.serial != packet.serial) return;
  if (packet.kind == PacketKind::data || packet.kind == PacketKind::header) return receive_data(packet, now);
  message.news = now;
  switch (packet.kind) {
    case PacketKind::ack: receive_ack(id, packet.number); break;
    case PacketKind::nack: want(id, packet.number); break;
    case PacketKind::bounced:
      // The receiver never saw it, so no PULL will come for it. Sent again at once only when nothing else is
      // under way that would bring one: else the next burst would be as large.
      want(id, packet.number);
      if (message.in_flight == 0) send_next(id);
      break;
    case PacketKind::pull:
      for (; message.pulled < packet.number; ++message.pulled) send_next(id);
      break;
    default: break;
  }
  if (message.acked < message.packets) return;
  if (config_.low_latency.end == LowLatencyEnd::last_ack) end(id, now);
  release(id);
}

void LowLatency::end(std::uint32_t id, std::int64_t now) {
  Message& message = messages_[id];
  if (message.ended) return;
  message.ended = true;
  counts_.delivered += Bytes{message.bytes};
  finished_.push_back({.message = id, .when = now});
  --outstanding_;
}

void LowLatency::release(std::uint32_t id) {
  Message& message = messages_[id];
  message.in_use = false;
  message.state = {};
  message.has = {};
  message.again = {};
  free_.push_back(id);
}

// ---- the receiver

void LowLatency::receive_data(const RotorPacket& packet, std::int64_t now) {
  const std::uint32_t id = packet.message;
  Message& message = messages_[id];
  if (packet.kind == PacketKind::header) {
    answer(PacketKind::nack, id, packet.number);
    return ask_for_more(id, now);
  }
  if (!message.has[packet.number]) {
    message.has[packet.number] = true;
    ++message.received;
    ++counts_.low_delivered;
  }
  answer(PacketKind::ack, id, packet.number);
  if (message.received < message.packets) return ask_for_more(id, now);
  message.pending = 0;
  if (config_.low_latency.end == LowLatencyEnd::delivery) end(id, now);
}

void LowLatency::answer(PacketKind kind, std::uint32_t id, std::uint32_t number) {
  const Message& message = messages_[id];
  outbox_.push_back({.kind = kind,
                     .size = static_cast<std::uint16_t>(config_.low_latency.control.count()),
                     .from = message.to,
                     .to = message.from,
                     .message = id,
                     .serial = message.serial,
                     .number = number});
}

// A receiver's messages share its line, hence its PULLs.
void LowLatency::ask_for_more(std::uint32_t id, std::int64_t now) {
  Message& message = messages_[id];
  Pacer& pacer = pacers_[static_cast<std::size_t>(message.to)];
  if (message.pending++ == 0) pacer.messages.push_back(id);
  if (pacer.set) return;
  pacer.set = true;
  alarms_.push_back(
      {.when = std::max(now, pacer.next), .id = static_cast<std::uint32_t>(message.to), .of_pacer = true});
}

void LowLatency::pacer(int host, std::int64_t now) {
  Pacer& pacer = pacers_[static_cast<std::size_t>(host)];
  pacer.set = false;
  while (!pacer.messages.empty()) {
    const std::uint32_t id = pacer.messages.front();
    pacer.messages.pop_front();
    Message& message = messages_[id];
    if (!message.in_use || message.to != host || message.pending == 0) continue;  // ended in the meantime
    answer(PacketKind::pull, id, ++message.pulls);
    if (--message.pending > 0) pacer.messages.push_back(id);
    pacer.next = now + pull_gap_;
    break;
  }
  if (pacer.messages.empty()) return;
  pacer.set = true;
  alarms_.push_back({.when = pacer.next, .id = static_cast<std::uint32_t>(host), .of_pacer = true});
}

}  // namespace overture::network::rotor
