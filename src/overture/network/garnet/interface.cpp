// The network interface of a rank: cuts messages into packets and packets into flits, and takes them in.
#include "overture/network/garnet/engine.h"

namespace overture::network::garnet {

void GarnetEngine::inject_and_send(int rank, Cycle now) {
  for (int v = 0; v < fabric_->lanes(); ++v) {
    Lane& mine = lane(rank, v);
    if (!mine.waiting.empty()) inject(mine, fabric_->injection(rank, v), now);
    if (!mine.injected.empty()) send_flit(mine, fabric_->injection(rank, v), now);
  }
}

// One packet gets a virtual channel, if any is idle.
void GarnetEngine::inject(Lane& mine, int number, Cycle now) {
  Channel& c = channel(number);
  for (int i = 0; i < vcs_; ++i) {
    const int vc = c.first_vc + mine.pointer;
    mine.pointer = (mine.pointer + 1) % vcs_;
    if (!c.is_idle(vc)) continue;
    c.set_busy(vc);
    Queued& message = mine.waiting.front();
    const std::int32_t flits = message.packets == 1 ? message.last_flits : settings_.flits_per_packet;
    packet(number, vc) = {.message = message.message, .flits = flits};
    mine.injected.push(static_cast<std::uint16_t>(vc));
    if (--message.packets == 0) mine.waiting.pop();
    statistics_.packet_cycles -= now;
    statistics_.flit_cycles -= now * flits;
    return;
  }
}

// The oldest packet's next flit; where that has no credit the younger ones wait, too.
void GarnetEngine::send_flit(Lane& mine, int number, Cycle now) {
  Channel& c = channel(number);
  const std::uint16_t vc = mine.injected.front();
  std::int32_t& credits = c.credits[c.at(vc)];
  if (credits == 0) return;
  --credits;
  Packet& sending = packet(number, vc);
  const std::int32_t position = sending.sent++;
  if (load_ != nullptr) note_flit(number, now);
  const bool tail = sending.sent == sending.flits;
  push_flit(number, {.message = sending.message, .vc = vc, .head = position == 0, .tail = tail}, position,
            now);
  if (tail) mine.injected.pop();
}

void GarnetEngine::accept(int number, const Flit& flit, Cycle now) {
  push_credit(number, {.vc = flit.vc, .frees = flit.tail}, now);
  ++statistics_.flits;
  statistics_.flit_cycles += now - 1;
  if (!flit.tail) return;
  ++statistics_.packets;
  statistics_.packet_cycles += now - 1;
  ++statistics_.packets_of_vnet[static_cast<std::size_t>(flit.vc / vcs_)];
  arrived_(flit.message);
}

}  // namespace overture::network::garnet
