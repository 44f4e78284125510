// A window that follows delay in the manner of Swift (Kumar et al., SIGCOMM 2020): while a round trip takes
// less than the target, the window grows as TCP's does; when it takes more, the window shrinks by as much as
// the delay exceeds the target, once per round trip. Swift's scaling of the target by hops and by flows, and
// its pacing below one packet, are left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "overture/base/units.h"

namespace overture::network::packet {

struct Flow;

struct SwiftConfig {
  static constexpr std::string_view kWord = "swift";

  Duration target = std::chrono::microseconds(25);
  double decrease = 0.8;       // beta: how strongly an excess counts
  double most_decrease = 0.5;  // max_mdf: of the window, in one round trip

  std::string_view complaint() const;
  void on_round_trip(Flow& flow, std::uint32_t segment, Duration sample) const;

  template <class V>
  static void keys(V& v, SwiftConfig& c) {
    v.from("ours, in the manner of Swift (SIGCOMM 2020)");
    v.field("swift_target", c.target,
            "control swift: the window grows while a round trip takes less than this");
    v.field("swift_decrease", c.decrease,
            "control swift: how strongly a delay above the target counts (beta)");
    v.field("swift_most_decrease", c.most_decrease,
            "control swift: largest share by which the window shrinks in a round trip (max_mdf)");
  }
};

}  // namespace overture::network::packet
