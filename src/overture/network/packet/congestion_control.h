// What decides how fast a TCP connection sends. NewReno (tcp.cpp, recovery.cpp) is the base of all: slow
// start, an addition per round trip, a reduction per loss. A control adds what follows from marks or delays.
// It is a file of its own with its numbers and their keys, and a line in each of the three lists below.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/packet/dctcp.h"
#include "overture/network/packet/swift.h"

namespace overture::network::packet {

enum class CongestionControl : std::uint8_t { new_reno, dctcp, swift };
constexpr auto vocabulary(CongestionControl) {
  return std::to_array<Word<CongestionControl>>({
      {CongestionControl::new_reno, "new_reno"},
      {CongestionControl::dctcp, "dctcp"},
      {CongestionControl::swift, "swift"},
  });
}

// The numbers of all controls; only those of the one that is chosen count.
struct ControlConfigs {
  DctcpConfig dctcp;
  SwiftConfig swift;

  template <class V>
  static void keys(V& v, ControlConfigs& c) {
    DctcpConfig::keys(v, c.dctcp);
    SwiftConfig::keys(v, c.swift);
  }
};

struct Flow;

// What a control does; left out: nothing. `segment` is the most payload in a packet.
struct ControlHooks {
  // `acknowledged` bytes came with an ACK that echoes a mark, or not. Called before the ACK takes effect.
  void (*on_ack)(Flow& flow, const ControlConfigs& configs, std::uint32_t segment, std::uint64_t acknowledged,
                 bool echo) = nullptr;
  // A round trip was measured, as it is for every segment that was sent once. Called when the ACK has taken
  // effect.
  void (*on_round_trip)(Flow& flow, const ControlConfigs& configs, std::uint32_t segment,
                        Duration sample) = nullptr;
};

ControlHooks hooks_of(CongestionControl control);

// The first number that cannot work, and why; empty if all can.
std::string_view complaint(const ControlConfigs& configs);

}  // namespace overture::network::packet
