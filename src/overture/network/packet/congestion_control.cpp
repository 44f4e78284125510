#include "overture/network/packet/congestion_control.h"

namespace overture::network::packet {

ControlHooks hooks_of(CongestionControl control) {
  switch (control) {
    case CongestionControl::new_reno: return {};
    case CongestionControl::dctcp: return {.on_ack = dctcp_on_ack};
    case CongestionControl::swift: return {.on_round_trip = swift_on_round_trip};
  }
  return {};
}

std::string_view complaint(const ControlConfigs& configs) {
  for (const std::string_view text : {configs.dctcp.complaint(), configs.swift.complaint()}) {
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace overture::network::packet
