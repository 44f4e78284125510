#include "overture/network/rotor/low_latency.h"

#include <algorithm>
#include <cmath>

namespace overture::network::rotor {

LowLatency::LowLatency(const RotorConfig& config, int hosts)
    : config_(config),
      payload_((config.packet - config.header).count()),
      pull_gap_(std::llround(
          static_cast<double>(
              transfer_time(config.packet - (config.defects.pacer_per_message ? config.header : Bytes{0}),
                            config.rate)
                  .count()) /
          config.low_latency.pull_rate)),
      pacers_(static_cast<std::size_t>(hosts)) {}

std::uint32_t LowLatency::start(int from, int to, std::int64_t bytes, std::int64_t now) {
  const auto packets = static_cast<std::uint32_t>(packets_of(bytes, config_));
  const std::uint32_t id = messages_.take();
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
  if (config_.defects.pacer_per_message) {
    if (id >= pacers_.size()) pacers_.resize(id + 1);
    pacers_[id] = {.set = pacers_[id].set};
  }
  while (messages_[id].first_window < config_.low_latency.initial_window && send_next(id))
    ++messages_[id].first_window;
  if (!config_.defects.lost_pulls_stay_lost) set_timer(id, now + config_.low_latency.timeout.count());
  return id;
}

// ---- the sender

std::uint16_t LowLatency::packet_size(const Message& message, std::uint32_t number) const {
  const bool full = number + 1 < message.packets || (config_.low_latency.pad_packets && number > 0);
  if (full) return static_cast<std::uint16_t>(config_.packet.count());
  return static_cast<std::uint16_t>(message.bytes - payload_ * number + config_.header.count());
}

void LowLatency::send(std::uint32_t id, std::uint32_t number, bool again) {
  Message& message = messages_[id];
  message.state[number] = State::in_flight;
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
    const State state = message.state[number];
    if (state != State::wanted && state != State::returned) continue;
    ++counts_.retransmissions;
    send(id, number, state == State::wanted);
    return true;
  }
  if (message.next == message.packets) return false;
  send(id, message.next++, false);
  return true;
}

// False: it was wanted or acknowledged before.
bool LowLatency::want(std::uint32_t id, std::uint32_t number) {
  Message& message = messages_[id];
  if (message.state[number] != State::in_flight) return false;
  message.state[number] = State::wanted;
  message.again.push_back(number);
  return true;
}

// PULLs count, so that one that comes makes up for those before it.
void LowLatency::pulled(std::uint32_t id, std::uint32_t pulls) {
  Message& message = messages_[id];
  if (pulls <= message.pulled && config_.defects.sends_unasked) send_next(id);
  for (; message.pulled < pulls; ++message.pulled) send_next(id);
}

// The receiver never saw it, so no PULL will come for it. Sent again at once only when no other is to come:
// else the next burst would be as large.
void LowLatency::came_back(std::uint32_t id, const RotorPacket& packet) {
  Message& message = messages_[id];
  if (want(id, packet.number)) {
    if (!packet.again) message.state[packet.number] = State::returned;
    message.again.pop_back();
    message.again.push_front(packet.number);
  }
  if (message.answers_ahead == 0 && message.first_window <= 1) send_next(id);
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
  if (packet.kind == PacketKind::pull) {
    --message.answers_ahead;
  } else {
    --message.first_window;
    if (packet.kind == PacketKind::nack || (packet.kind == PacketKind::ack && packet.pulls == 0))
      ++message.answers_ahead;
  }
  switch (packet.kind) {
    case PacketKind::ack: message.state[packet.number] = State::acked; break;
    case PacketKind::nack:
      want(id, packet.number);
      if (!config_.defects.sends_unasked || message.next < message.packets) break;
      send_next(id);
      return;
    case PacketKind::bounced: came_back(id, packet); break;
    default: break;
  }
  if (packet.complete) {
    if (config_.low_latency.end == LowLatencyEnd::last_ack) end(id, now);
    return release(id);
  }
  if (packet.pulls > 0) pulled(id, packet.pulls);
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
  messages_.give_back(id);
}

// ---- the receiver

void LowLatency::receive_data(const RotorPacket& packet, std::int64_t now) {
  const std::uint32_t id = packet.message;
  Message& message = messages_[id];
  if (packet.kind == PacketKind::header) return answer_and_pull(PacketKind::nack, id, packet.number, now);
  if (!message.has[packet.number]) {
    message.has[packet.number] = true;
    ++message.received;
    ++counts_.low_delivered;
  }
  answer_and_pull(PacketKind::ack, id, packet.number, now);
  if (message.received < message.packets) return;
  message.pending = 0;
  if (config_.low_latency.end == LowLatencyEnd::delivery) end(id, now);
}

void LowLatency::answer(PacketKind kind, std::uint32_t id, std::uint32_t number, std::uint32_t pulls) {
  const Message& message = messages_[id];
  outbox_.push_back({.kind = kind,
                     .complete = kind == PacketKind::ack && message.received == message.packets,
                     .size = static_cast<std::uint16_t>(config_.low_latency.control.count()),
                     .from = message.to,
                     .to = message.from,
                     .message = id,
                     .serial = message.serial,
                     .number = number,
                     .pulls = pulls});
}

// A receiver's messages share its line, hence its PULLs.
std::uint32_t LowLatency::pacer_of(std::uint32_t id) const {
  return config_.defects.pacer_per_message ? id : static_cast<std::uint32_t>(messages_[id].to);
}

// An answer is a PULL, too, if the last one is long enough ago and nobody waits.
void LowLatency::answer_and_pull(PacketKind kind, std::uint32_t id, std::uint32_t number, std::int64_t now) {
  Message& message = messages_[id];
  Pacer& pacer = pacers_[pacer_of(id)];
  if (!pacer.set && pacer.next <= now) {
    pacer.next = now + pull_gap_;
    return answer(kind, id, number, ++message.pulls);
  }
  answer(kind, id, number);
  if (message.pending++ == 0) pacer.messages.push_back(id);
  if (pacer.set) return;
  pacer.set = true;
  alarms_.push_back({.when = pacer.next, .id = pacer_of(id), .of_pacer = true});
}

void LowLatency::pacer(std::uint32_t at, std::int64_t now) {
  Pacer& pacer = pacers_[at];
  pacer.set = false;
  while (!pacer.messages.empty()) {
    const std::uint32_t id = pacer.messages.front();
    pacer.messages.pop_front();
    Message& message = messages_[id];
    if (!message.in_use || pacer_of(id) != at || message.pending == 0) continue;  // ended in the meantime
    answer(PacketKind::pull, id, 0, ++message.pulls);
    if (--message.pending > 0) pacer.messages.push_back(id);
    pacer.next = now + pull_gap_;
    break;
  }
  if (pacer.messages.empty()) return;
  pacer.set = true;
  alarms_.push_back({.when = pacer.next, .id = at, .of_pacer = true});
}

}  // namespace overture::network::rotor
