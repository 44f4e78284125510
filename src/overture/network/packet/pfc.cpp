// Switches that share a buffer. With PFC, what comes in beyond its share goes into headroom, and its sender
// is told to stop; headroom is as large as what a sender can still send before it hears that, so nothing is
// dropped. Without, what goes beyond its share of the buffer is dropped.
#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/packet/lossless_fabric.h"

namespace overture::network::packet {

void LosslessFabric::build_buffers(const topology::Graph& graph, const LosslessConfig& config,
                                   std::int64_t packet) {
  alpha_ = pfc_ ? config.pfc.dynamic_alpha : config.dynamic_alpha;
  if (pfc_ && config.pfc.xoff) fixed_xoff_ = config.pfc.xoff->count();
  xon_gap_ = config.pfc.xon_gap.count();
  pause_size_ = static_cast<std::uint16_t>(config.pfc.frame.count());
  ingress_.resize(queues_.size());
  buffers_.assign(static_cast<std::size_t>(graph.nodes() - hosts_), {.free = config.buffer.count()});
  for (std::uint32_t id = 0; id < ports_.size(); ++id) {
    if (ports_[id].to < hosts_) continue;
    std::int64_t headroom = 0;
    if (pfc_) {
      headroom =
          config.pfc.headroom ? config.pfc.headroom->count() : needed_headroom(id, packet, pause_size_);
    }
    for (int lane = 0; lane < lanes_; ++lane) {
      Ingress& ingress = ingress_[lane_id(id, static_cast<std::uint8_t>(lane))];
      ingress.buffer = static_cast<std::uint32_t>(ports_[id].to - hosts_);
      ingress.headroom_limit = headroom;
      buffers_[ingress.buffer].free -= headroom;
    }
  }
  if (buffers_.empty()) return;
  const SwitchBuffer& fullest = *std::ranges::min_element(buffers_, {}, &SwitchBuffer::free);
  if (fullest.free < packet) {
    throw UserError(fmt::format(
        "lossless: the headroom of a switch's ports needs {}, and its buffer has {} (give it more, or name a "
        "smaller headroom)",
        to_string(Bytes{config.buffer.count() - fullest.free}), to_string(config.buffer)));
  }
}

// What can come in after the packet that made the switch say stop: the word waits for the frame being sent
// and for one such word per other lane, takes its own time and the wire's; then the sender ends the packet
// that it has begun, and the wire is emptied.
std::int64_t LosslessFabric::needed_headroom(std::uint32_t id, std::int64_t packet,
                                             std::int64_t frame) const {
  const Port& port = ports_[id];
  const Port& back = ports_[port.reverse];
  const std::int64_t until_heard = serialisation(back, more_[port.reverse], packet) +
                                   2 * lanes_ * serialisation(back, more_[port.reverse], frame) + back.delay +
                                   port.delay;
  return bytes_in(more_[id], until_heard) + 1 + 3 * packet;
}

// A packet comes in through `lane` and will leave through `out_lane`. False: dropped.
bool LosslessFabric::admit(std::uint32_t lane, std::uint32_t out_lane, std::int64_t size) {
  Ingress& ingress = ingress_[lane];
  SwitchBuffer& buffer = buffers_[ingress.buffer];
  const std::int64_t before = pfc_ ? ingress.used : queues_[out_lane].bytes;
  if (before + size <= stop_above(buffer) && size <= buffer.free && ingress.headroom == 0) [[likely]] {
    ingress.used += size;
    buffer.free -= size;
    return true;
  }
  if (!pfc_ || ingress.headroom + size > ingress.headroom_limit) return false;
  ingress.headroom += size;
  if (!ingress.stopping) tell(lane, Frame::pause);
  return true;
}

// A packet that came in through `lane` has left.
void LosslessFabric::leave(std::uint32_t lane, std::int64_t size) {
  Ingress& ingress = ingress_[lane];
  SwitchBuffer& buffer = buffers_[ingress.buffer];
  const std::int64_t from_headroom = std::min(ingress.headroom, size);
  ingress.headroom -= from_headroom;
  ingress.used -= size - from_headroom;
  buffer.free += size - from_headroom;
  if (!ingress.stopping || ingress.headroom > 0) return;
  if (ingress.used == 0 || ingress.used + xon_gap_ <= stop_above(buffer)) tell(lane, Frame::resume);
}

// The word goes before all that waits, after the frame that is being sent.
void LosslessFabric::tell(std::uint32_t lane, Frame what) {
  ingress_[lane].stopping = what == Frame::pause;
  if (what == Frame::pause) ++counts_.pauses;
  const std::uint32_t id = ports_[lane / static_cast<std::uint32_t>(lanes_)].reverse;
  Port& port = ports_[id];
  const std::uint32_t index = take_parcel({.size = pause_size_});
  parcels_[index].frame = what;
  parcels_[index].lane = static_cast<std::uint8_t>(lane % static_cast<std::uint32_t>(lanes_));
  port.free_at = std::max(port.free_at, now_) + serialisation(port, more_[id], pause_size_);
  port.bytes += pause_size_;
  put_on_wire(id, port, index, port.free_at + port.delay);
  if ((port.waiting & ~port.blocked) != 0 && !port.armed) arm(id);
}

}  // namespace overture::network::packet
