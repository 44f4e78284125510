// How the window follows the share of marked bytes (RFC 8257).
#include <algorithm>

#include "overture/network/packet/tcp.h"

namespace overture::network::packet {
namespace {

void update_share(Flow& flow, double gain) {
  const double share = flow.observed == 0 ? 0 : static_cast<double>(flow.marked) / flow.observed;
  flow.alpha = static_cast<float>((1 - gain) * flow.alpha + gain * share);
  flow.marked = flow.observed = 0;
}

void reduce(Flow& flow, std::uint32_t floor) {
  flow.cwnd = std::max(floor, static_cast<std::uint32_t>(flow.cwnd * (1 - double{flow.alpha} / 2)));
  flow.ssthresh = flow.cwnd;
}

}  // namespace

// `acknowledged` bytes came with an ACK that echoes a mark, or not. Called before the ACK takes effect.
void Tcp::observe_marks(Flow& flow, std::uint64_t acknowledged, bool echo) {
  const std::uint64_t ack = flow.unacked + acknowledged;
  flow.observed += static_cast<std::uint32_t>(acknowledged);
  if (echo) flow.marked += static_cast<std::uint32_t>(acknowledged);
  if (ack > flow.mark_window) {
    update_share(flow, config_.dctcp_gain);
    flow.mark_window = flow.next;
  }
  if (echo && ack > flow.reduced_until && flow.state <= CongestionState::disorder) {
    reduce(flow, 2 * segment_);
    flow.reduced_until = flow.next;
  }
}

}  // namespace overture::network::packet
