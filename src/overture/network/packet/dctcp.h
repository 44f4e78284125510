// DCTCP (RFC 8257): the window follows the share of bytes that were marked.
#pragma once

#include <cstdint>
#include <string_view>

namespace overture::network::packet {

struct Flow;

struct DctcpConfig {
  static constexpr std::string_view kWord = "dctcp";

  double gain = 1.0 / 16;  // g

  std::string_view complaint() const {
    return gain > 0 && gain <= 1 ? "" : "tcp: DCTCP's gain is above 0 and at most 1";
  }

  void on_ack(Flow& flow, std::uint32_t segment, std::uint64_t acknowledged, bool echo) const;

  template <class V>
  static void keys(V& v, DctcpConfig& c) {
    v.field("dctcp_gain", c.gain, "control dctcp: g of RFC 8257");
  }
};

}  // namespace overture::network::packet
