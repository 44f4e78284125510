#include "overture/network/packet/htsim_dctcp_config.h"

#include <limits>

#include "overture/network/packet/config.h"
#include "overture/network/packet/sound.h"

namespace overture::network::packet {

void HtsimDctcpConfig::require_sound(const PacketConfig& config) const {
  require_short({min_rto, scan});
  constexpr std::int64_t kMaxWindow = std::numeric_limits<std::int32_t>::max();
  const auto window_fits = [&](int packets) { return packets > 0 && packets <= kMaxWindow / packet.count(); };
  require(packet.count() > 0 && packet.count() <= kMaxPacket, "htsim_dctcp: a packet has 1 to 65535 B");
  require(window_fits(initial_window) && window_fits(slow_start_threshold),
          "htsim_dctcp: windows hold at least one packet and at most 2 GiB");
  require(gain > 0 && gain <= 1, "htsim_dctcp: the gain is above 0 and at most 1");
  require(min_rto > Duration::zero() && scan > Duration::zero(),
          "htsim_dctcp: timeout and scan are positive");
  require(!config.queue.port_limit || *config.queue.port_limit >= packet,
          "queue: a limit holds at least one packet");
}

}  // namespace overture::network::packet
