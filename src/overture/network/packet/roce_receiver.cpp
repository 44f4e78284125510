// The receiver's half of RoCE: takes packets in order only, says which one it expects, and tells the sender
// of marks. Plain messages are only counted.
#include "overture/network/packet/roce.h"

namespace overture::network::packet {

void Roce::receive(const Packet& packet) {
  const std::uint32_t id = packet.flow;
  RoceFlow& flow = flows_[id];
  if (packet.kind == Kind::data) return on_data(id, flow, packet);
  if ((packet.flags & kNotification) != 0) return dcqcn_.cut(flow.dcqcn, fabric_.now());
  acknowledge(flow, packet.sequence);
  if (flow.unacked != flow.sent) set_deadline(id, flow);
  if (packet.kind == Kind::nack && packet.sequence == flow.unacked) {
    ++counts_.recoveries;
    go_back(id, flow);
  }
}

void Roce::on_data(std::uint32_t id, RoceFlow& flow, const Packet& packet) {
  if (!reliable_) return count_arrival(packet.info);
  if (dcqcn_on_ && (packet.flags & kCongested) != 0) notify(id, flow);
  const auto ahead = static_cast<std::int32_t>(packet.sequence - flow.expected);
  if (ahead == 0) return on_next(id, flow);
  ++counts_.duplicates;
  if (ahead < 0) return answer(id, flow, Kind::ack);
  if (flow.refused) return;  // once per gap: the sender goes back anyway
  flow.refused = true;
  answer(id, flow, Kind::nack);
}

void Roce::on_next(std::uint32_t id, RoceFlow& flow) {
  ++flow.expected;
  flow.refused = false;
  if (flow.expected == flow.receive_boundary) {
    const std::uint32_t message = flow.receiving;
    counts_.payload_bytes += last_length(messages_[message]);
    receive_next(flow, messages_[message].next);
    answer(id, flow, Kind::ack);
    return delivered(message, fabric_.now());
  }
  counts_.payload_bytes += payload_;
  if (flow.expected - flow.answered >= static_cast<std::uint32_t>(config_.ack_every)) {
    answer(id, flow, Kind::ack);
  }
}

void Roce::count_arrival(std::uint32_t id) {
  RoceMessage& message = messages_[id];
  if (++message.arrived < message.packets) return;
  counts_.payload_bytes += static_cast<std::uint64_t>(message.bytes);
  delivered(id, fabric_.now());
  RoceFlow& flow = flows_[message.flow];
  // Sprayed messages may overtake each other, so it is freed where the list can be cut.
  while (flow.first_message != kNone &&
         messages_[flow.first_message].arrived == messages_[flow.first_message].packets) {
    const std::uint32_t first = flow.first_message;
    flow.unacked += messages_[first].packets;
    flow.first_message = messages_[first].next;
    if (flow.first_message == kNone) flow.last_message = kNone;
    if (flow.receiving == first) receive_next(flow, flow.first_message);
    messages_.give_back(first);
  }
}

void Roce::answer(std::uint32_t id, RoceFlow& flow, Kind kind) {
  flow.answered = flow.expected;
  Packet packet;
  packet.kind = kind;
  packet.sequence = flow.expected;
  send_control(id, flow, packet, config_.ack);
}

// DCQCN's notification point.
void Roce::notify(std::uint32_t id, RoceFlow& flow) {
  if (fabric_.now() - flow.notified < config_.dcqcn.cnp_interval.count()) return;
  flow.notified = fabric_.now();
  ++counts_.notifications;
  Packet packet;
  packet.kind = Kind::ack;
  packet.flags = kNotification;
  send_control(id, flow, packet, config_.cnp);
}

void Roce::send_control(std::uint32_t id, RoceFlow& flow, Packet packet, Bytes size) {
  packet.flow = id;
  packet.size = static_cast<std::uint16_t>(size.count());
  packet.route = flow.ack_route;
  fabric_.send_control(flow.ack_link, packet);
}

}  // namespace overture::network::packet
