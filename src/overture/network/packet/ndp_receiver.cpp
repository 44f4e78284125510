// The receiver's half of NDP: answers at once, and PULLs at its link's rate, one flow after the other.
#include <algorithm>

#include "overture/network/packet/ndp.h"

namespace overture::network::packet {

void Ndp::receive(const Packet& packet) {
  const std::uint32_t id = packet.flow;
  NdpFlow& flow = flows_[id];
  switch (packet.kind) {
    case Kind::data: return on_data(id, flow, packet.sequence);
    case Kind::ack: return on_ack(id, flow, packet.sequence);
    case Kind::nack: return on_nack(id, flow, packet.sequence);
    case Kind::pull: return on_pull(id, flow, packet.sequence);
    case Kind::header:
      ++flow.pulls_left;
      reply(id, flow, Kind::nack, packet.sequence);
      return ask_for_more(id, flow);
  }
}

void Ndp::on_data(std::uint32_t id, NdpFlow& flow, std::uint32_t number) {
  PacketBits& word = bits(flow, number);
  reply(id, flow, Kind::ack, number);
  if ((word.received & bit(number)) != 0) {
    ++counts_.duplicates;
    return ask_for_more(id, flow);
  }
  word.received |= bit(number);
  counts_.payload_bytes += length(flow, number);
  if (++flow.received < flow.packets) return ask_for_more(id, flow);
  flow.receiving = false;
  flow.pulls_left = flow.pulls_waiting = 0;
  if (config_.complete_at == CompleteAt::delivery) complete(id);
}

void Ndp::reply(std::uint32_t id, NdpFlow& flow, Kind kind, std::uint32_t sequence) {
  Packet packet;
  packet.kind = kind;
  packet.flow = id;
  packet.sequence = sequence;
  packet.info = flow.serial;
  packet.size = static_cast<std::uint16_t>(config_.control.count());
  packet.route = ways_.next(flow.reply, flow.destination, flow.source);
  fabric_.send_control(flow.reply_link, packet);
}

// The receiver knows how many packets are missing and how many will come unasked, and pulls no more than it
// needs.
void Ndp::ask_for_more(std::uint32_t id, NdpFlow& flow) {
  if (flow.pulls_left == 0 || !flow.receiving) return;
  --flow.pulls_left;
  ++flow.pulls_waiting;
  Puller& puller = pullers_[static_cast<std::size_t>(flow.destination)];
  puller.flows.append(flows_, id);
  if (puller.armed) return;
  if (puller.next <= fabric_.now()) return host_timer(flow.destination);
  puller.armed = true;
  fabric_.set_host_timer(flow.destination, puller.next);
}

void Ndp::host_timer(int host) {
  Puller& puller = pullers_[static_cast<std::size_t>(host)];
  puller.armed = false;
  while (!puller.flows.empty()) {
    const std::uint32_t id = puller.flows.take(flows_);
    NdpFlow& flow = flows_[id];
    if (flow.pulls_waiting == 0) {  // all has arrived meanwhile
      free_if_done(id, flow);
      continue;
    }
    if (--flow.pulls_waiting > 0) puller.flows.append(flows_, id);
    reply(id, flow, Kind::pull, ++flow.pulls_sent);
    const std::int64_t gap = flow.narrowest == kNone ? 0 : gaps_[flow.narrowest];
    puller.next = fabric_.now() + std::max(puller.gap, gap);
    if (puller.flows.empty()) return;
    puller.armed = true;
    return fabric_.set_host_timer(host, puller.next);
  }
}

}  // namespace overture::network::packet
