#include "overture/network/packet/swift.h"

#include <algorithm>

#include "overture/network/packet/flow.h"

namespace overture::network::packet {

std::string_view SwiftConfig::complaint() const {
  if (target <= Duration{}) return "tcp: swift_target is above 0";
  if (!(decrease > 0 && decrease <= 1)) return "tcp: swift_decrease is above 0 and at most 1";
  if (!(most_decrease > 0 && most_decrease < 1)) return "tcp: swift_most_decrease is above 0 and below 1";
  return {};
}

// At most once per window: what was under way when it shrank tells of the time before. A loss is TCP's
// business, and so is the window until it is repaired.
void SwiftConfig::on_round_trip(Flow& flow, std::uint32_t segment, Duration sample) const {
  if (sample <= target || flow.state > CongestionState::disorder) return;
  if (flow.unacked < flow.reduced_until) return;
  const double excess = static_cast<double>((sample - target).count()) / static_cast<double>(sample.count());
  const double kept = std::max(1 - decrease * excess, 1 - most_decrease);
  flow.cwnd = std::max(segment, static_cast<std::uint32_t>(flow.cwnd * kept));
  flow.ssthresh = flow.cwnd;
  flow.reduced_until = flow.next;
}

}  // namespace overture::network::packet
