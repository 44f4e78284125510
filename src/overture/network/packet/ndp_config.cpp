#include "overture/network/packet/ndp_config.h"

#include <fmt/format.h>

#include "overture/network/packet/config.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {

void NdpConfig::require_sound(const PacketConfig& config) const {
  require_short({min_rto, max_rto});
  const QueueConfig& queue = config.queue;
  require(payload.count() > 0, "ndp: a packet has at least one byte of payload");
  require(header.count() > 0 && (payload + header).count() <= kMaxPacket,
          "ndp: a header has at least one byte, payload and header together at most 65535 B");
  require(control.count() > 0 && control.count() <= kMaxPacket, "ndp: a control packet has 1 to 65535 B");
  require(initial_window > 0, "ndp: the initial window is at least one packet");
  require(pull_rate > 0 && pull_rate <= 1, "ndp: the pull rate is above 0 and at most 1");
  require(min_rto > Duration::zero() && max_rto >= min_rto,
          "ndp: the minimum RTO is positive and not above the maximum");
  require(!queue.port_limit && !queue.shared_limit && !queue.mark_above,
          "queue: NDP's queues have the limits in trim, and neither a drop-tail limit nor marks");
  require(queue.trim.data_limit >= payload + header, "queue: a data limit holds at least one packet");
  require(queue.trim.control_limit >= header && queue.trim.control_limit >= control,
          "queue: a control limit holds at least one header");
  require(queue.trim.trim_arriving >= 0 && queue.trim.trim_arriving <= 1,
          "queue: the share of arriving packets that are trimmed is from 0 to 1");
}

std::vector<SetupChange> NdpConfig::settings_to_try(const PacketConfig& config, const NetworkRecord&) const {
  std::vector<SetupChange> changes;
  if (config.paths != topology::PathRule::spray) changes.push_back({"network.paths=spray"});
  changes.push_back({fmt::format("network.ndp.initial_window={}", 2 * initial_window)});
  changes.push_back(twice("network.queue.trim.data_limit", config.queue.trim.data_limit));
  return changes;
}

}  // namespace overture::network::packet
