// The receiver's half of NDP: answers at once, and PULLs at its link's rate, one flow after the other.
#include <algorithm>

#include "overture/network/packet/ndp.h"

namespace overture::network::packet {

void Ndp::receive(const Packet& packet) {
  const std::uint32_t id = packet.flow;
  NdpFlow& flow = flows_[id];
  switch (packet.kind) {
    case Kind::data: return on_data(id, flow, packet.sequence);
    case Kind::header: return on_header(id, flow, packet.sequence);
    case Kind::nack: return on_nack(id, flow, packet.sequence);
    case Kind::pull: return on_pull(id, flow, packet.sequence);
    case Kind::ack:
      if ((packet.flags & kComplete) != 0) return on_complete(id, flow);
      return on_ack(id, flow, packet.sequence);
  }
}

// Will the PULLs of a flow bring a packet? Those that the sender keeps must not overtake a NACK.
inline void Ndp::weigh(Puller& puller, NdpFlow& flow) {
  const bool matter = (flow.pulls_left | flow.nacks_flying) != 0 && flow.pulls_waiting > 0;
  if (matter == flow.pulls_matter) return;
  flow.pulls_matter = matter;
  if (matter) {
    ++puller.matter;
  } else {
    --puller.matter;
  }
}

// Of the next flow, at `when`. One that brings nothing takes the link's time if it is a packet of its own.
inline void Ndp::pull(Puller& puller, std::int64_t when, PullPacket packet) {
  const std::uint32_t id = puller.flows.take();
  NdpFlow& flow = flows_[id];
  if (--flow.pulls_waiting == 0) puller.flows.pass(flow.pull_place);
  puller.next = when + (flow.slow == kNone ? puller.gap : gaps_[flow.slow]);
  const bool matters = flow.pulls_matter;
  if (flow.pulls_left > 0) {
    --flow.pulls_left;
  } else {
    ++flow.pulls_spare;
  }
  if (matters) {
    weigh(puller, flow);
    return reply(id, flow, Kind::pull, ++flow.pulls_sent);
  }
  ++flow.spare;
  if (packet == kPullAlone) fabric_.spend(flow.reply_link, when, puller.control_time);
}

// Of the destination, when the turns that have passed are counted.
inline Ndp::Puller& Ndp::settled_puller(const NdpFlow& flow) {
  Puller& puller = pullers_[static_cast<std::size_t>(flow.destination)];
  while (puller.matter == 0 && puller.next <= fabric_.now() && !puller.flows.empty())
    pull(puller, puller.next, kPullAlone);
  return puller;
}

// A PULL for every packet and every header, until nothing is missing. The last ones find nothing to send, but
// they wait for their turn and take it.
inline void Ndp::ask_for_more(NdpFlow& flow, Puller& puller) {
  if (!flow.receiving) return;
  ++flow.pulls_waiting;
  puller.flows.enter(flow.pull_place);
  weigh(puller, flow);
  if (!puller.armed && puller.next <= fabric_.now()) pull(puller, fabric_.now(), kPullOnAck);
  arm(flow.destination, puller);
}

void Ndp::on_data(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  Puller& puller = settled_puller(flow);
  PacketBits& word = bits(flow, number);
  if ((word.received & bit(number)) != 0) {
    ++counts_.duplicates;
  } else {
    word.received |= bit(number);
    counts_.payload_bytes += length(flow, number);
    ++flow.received;
  }
  reply(id, flow, Kind::ack, number);
  ask_for_more(flow, puller);
  if (!flow.receiving || flow.received < flow.packets) return;
  flow.receiving = false;
  flow.pulls_waiting = 0;
  weigh(puller, flow);
  puller.flows.leave(flow.pull_place);
  if (config_.complete_at == CompleteAt::delivery) delivered(id, fabric_.now());
}

// The packet will come again with one more PULL, or with one that the sender keeps.
void Ndp::on_header(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  if (flow.pulls_spare > 0) {
    --flow.pulls_spare;
  } else {
    ++flow.pulls_left;
  }
  ++flow.nacks_flying;
  Puller& puller = settled_puller(flow);
  reply(id, flow, Kind::nack, number);
  ask_for_more(flow, puller);
}

void Ndp::reply(std::uint32_t id, NdpFlow& flow, Kind kind, std::uint32_t sequence) {
  Packet packet;
  packet.kind = kind;
  packet.flow = id;
  packet.sequence = sequence;
  packet.info = flow.serial;
  packet.size = static_cast<std::uint16_t>(config_.control.count());
  if (kind == Kind::ack && flow.received == flow.packets) packet.flags = kComplete;
  packet.route = ways_.next(flow.reply, flow.destination, flow.source);
  fabric_.send_control(flow.reply_link, packet);
}

void Ndp::arm(int host, Puller& puller) {
  if (puller.armed || puller.matter == 0) return;
  puller.armed = true;
  fabric_.set_host_timer(host, puller.next);
}

void Ndp::host_timer(int host) {
  Puller& puller = pullers_[static_cast<std::size_t>(host)];
  puller.armed = false;
  if (!puller.flows.empty()) pull(puller, fabric_.now(), kPullAlone);
  arm(host, puller);
}

}  // namespace overture::network::packet
