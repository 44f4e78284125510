// Credits, virtual channels and flits. A packet crosses a link when a channel's buffer at the far end is
// free, and holds that buffer until its last flit has left there; its first flit goes on while the others
// still come in (virtual cut-through).
//
// No event per flit is needed: once a packet has a buffer that holds all of it, nothing can stop its flits,
// so the times of the first and of the last say all. If flit i comes in at `in(i)`, it has left at
// max(left(i-1), in(i) + router) + flit; with evenly spaced flits at the source this is, hop after hop, the
// larger of "without a gap from the start" and "as the last flit came in". A link serves one packet at a
// time; Garnet lets the flits of several channels alternate, with the same throughput.
#include <algorithm>

#include "overture/base/check.h"
#include "overture/network/packet/lossless_fabric.h"

namespace overture::network::packet {

void LosslessFabric::build_credits(const topology::Graph& graph) {
  channels_.assign(queues_.size(), {.free = channels_per_lane_});
  returns_.resize(queues_.size() * static_cast<std::size_t>(channels_per_lane_));
  build_datelines(graph);
}

// A torus is known by its shape: a router per host, all with the same ports. Ports of the same number make
// the rings of one dimension and direction; along a ring routers count up (or down), except over the link
// that wraps round.
void LosslessFabric::build_datelines(const topology::Graph& graph) {
  if (graph.nodes() != 2 * hosts_ || hosts_ < 2) return;
  const int ports = graph.ports(hosts_);
  if (ports > 256) return;
  for (int router = hosts_; router < graph.nodes(); ++router) {
    if (graph.ports(router) != ports || graph.link(router, 0).to != router - hosts_) return;
  }
  for (int port = 1; port < ports; ++port) {
    int up = 0;
    for (int router = hosts_; router < graph.nodes(); ++router) {
      if (graph.link(router, port).to > router) ++up;
    }
    const bool upwards = 2 * up >= hosts_;
    for (int router = hosts_; router < graph.nodes(); ++router) {
      Port& link = ports_[static_cast<std::size_t>(graph.first_link(router) + port)];
      link.ring = static_cast<std::uint8_t>(port);
      link.wraps = (link.to > router) != upwards;
    }
  }
}

// If not, the lane is blocked until the next one comes.
bool LosslessFabric::has_credit(std::uint32_t link, std::uint8_t lane) {
  if (ports_[link].to < hosts_) return true;  // hosts take what comes
  const std::uint32_t id = lane_id(link, lane);
  ChannelCredits& credits = channels_[id];
  const std::int64_t* const returns =
      &returns_[std::size_t{id} * static_cast<std::size_t>(channels_per_lane_)];
  while (credits.coming > 0 && returns[credits.coming - 1] <= now_) {
    --credits.coming;
    ++credits.free;
  }
  if (credits.free > 0) return true;
  block(link, lane);
  ++counts_.pauses;
  if (credits.coming > 0) {
    schedule(credits.wake, 3 * link_count() + id, returns[credits.coming - 1]);
  }
  return false;
}

void LosslessFabric::use_credit(std::uint32_t link, std::uint8_t lane) {
  if (ports_[link].to < hosts_) return;
  ChannelCredits& credits = channels_[lane_id(link, lane)];
  check(credits.free > 0, "a packet is sent only with a credit");
  --credits.free;
}

// A buffer at the end of `lane` is free, and the sender will know at `when`.
void LosslessFabric::return_credit(std::uint32_t lane, std::int64_t when) {
  ChannelCredits& credits = channels_[lane];
  std::int64_t* const returns = &returns_[std::size_t{lane} * static_cast<std::size_t>(channels_per_lane_)];
  // Packets of one lane leave by different links, so a later one may be gone sooner.
  std::int32_t place = credits.coming++;
  for (; place > 0 && returns[place - 1] < when; --place) returns[place] = returns[place - 1];
  returns[place] = when;
  const std::uint32_t link = lane / static_cast<std::uint32_t>(lanes_);
  if ((ports_[link].blocked >> (lane % static_cast<std::uint32_t>(lanes_)) & 1) == 0) return;
  schedule(credits.wake, 3 * link_count() + lane, when);
}

// Sends the packet's flits from now on, or as they come in if that is slower.
void LosslessFabric::start_flits(std::uint32_t id, Port& port, std::uint32_t index, std::uint8_t lane) {
  Parcel& parcel = parcels_[index];
  const std::int64_t flit = serialisation(port, more_[id], flit_);
  port.free_at = now_ + serialisation(port, more_[id], parcel.packet.size);
  if (parcel.from != kNone) {
    port.free_at = std::max(port.free_at, parcel.tail + router_delay_ + flit);
    return_credit(
        parcel.from,
        port.free_at + ports_[ports_[parcel.from / static_cast<std::uint32_t>(lanes_)].reverse].delay);
  }
  parcel.lane = lane;
  parcel.tail = port.free_at + port.delay;
  put_on_wire(id, port, index,
              port.to < hosts_ ? parcel.tail : ready_at(port, parcel, now_ + flit + port.delay));
}

// When a packet whose first flit is in at `head` may ask for its next link: after the router's delay; and for
// a link that is faster than the flits come, so late that it is not held up by them.
std::int64_t LosslessFabric::ready_at(const Port& port, const Parcel& parcel, std::int64_t head) const {
  const std::uint64_t out = parcel.packet.route & port_mask_;
  if (out == 0) return head + router_delay_;
  const auto id = static_cast<std::uint32_t>(port.next_port + out);
  const std::int64_t without_gap = parcel.tail + serialisation(ports_[id], more_[id], flit_) -
                                   serialisation(ports_[id], more_[id], parcel.packet.size);
  return std::max(head, without_gap) + router_delay_;
}

}  // namespace overture::network::packet
