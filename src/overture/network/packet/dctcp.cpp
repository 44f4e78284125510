#include "overture/network/packet/dctcp.h"

#include <algorithm>

#include "overture/network/packet/flow.h"

namespace overture::network::packet {
namespace {

void update_share(Flow& flow, double gain) {
  const double share = flow.observed == 0 ? 0 : static_cast<double>(flow.marked) / flow.observed;
  flow.alpha = static_cast<float>((1 - gain) * flow.alpha + gain * share);
  flow.marked = flow.observed = 0;
}

void reduce_by_share(Flow& flow, std::uint32_t floor) {
  flow.cwnd = std::max(floor, static_cast<std::uint32_t>(flow.cwnd * (1 - double{flow.alpha} / 2)));
  flow.ssthresh = flow.cwnd;
}

}  // namespace

void DctcpConfig::on_ack(Flow& flow, std::uint32_t segment, std::uint64_t acknowledged, bool echo) const {
  const std::uint64_t ack = flow.unacked + acknowledged;
  flow.observed += static_cast<std::uint32_t>(acknowledged);
  if (echo) flow.marked += static_cast<std::uint32_t>(acknowledged);
  if (ack > flow.mark_window) {
    update_share(flow, gain);
    flow.mark_window = flow.next;
  }
  if (echo && ack > flow.reduced_until && flow.state <= CongestionState::disorder) {
    reduce_by_share(flow, 2 * segment);
    flow.reduced_until = flow.next;
  }
}

}  // namespace overture::network::packet
