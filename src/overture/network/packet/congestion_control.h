// What decides how fast a TCP connection sends. NewReno (tcp.cpp, recovery.cpp) is the base of all: slow
// start, an addition per round trip, a reduction per loss. A control adds what follows from marks or delays.
// It is a file of its own with its numbers, their keys and its rules, and a name in the list below.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/packet/dctcp.h"
#include "overture/network/packet/swift.h"

namespace overture::network::packet {

// What it may have beside these, both of which change flow.cwnd and flow.ssthresh; `segment` is the most
// payload in a packet:
//   void on_ack(Flow& flow, std::uint32_t segment, std::uint64_t acknowledged, bool echo) const
//     So many bytes came with an ACK that echoes a mark, or not. Called before the ACK takes effect.
//   void on_round_trip(Flow& flow, std::uint32_t segment, Duration sample) const
//     A round trip was measured, as it is for every segment that was sent once. Called when the ACK has taken
//     effect.
template <class T>
concept Control = requires(const T& control) {
  { T::kWord } -> std::convertible_to<std::string_view>;
  // The first number that cannot work, and why; empty if all can.
  { control.complaint() } -> std::same_as<std::string_view>;
};

struct NewReno {
  static constexpr std::string_view kWord = "new_reno";
  static std::string_view complaint() { return {}; }
  template <class V>
  static void keys(V&, NewReno&) {}
};

// The numbers of all controls; only those of the one that is chosen count.
using ControlConfigs = std::tuple<NewReno, DctcpConfig, SwiftConfig>;

// One of them: its number in the list.
enum class CongestionControl : std::uint8_t {};
template <Control One>
inline constexpr CongestionControl kControl{Alternatives<ControlConfigs>::number<One>()};
constexpr auto vocabulary(CongestionControl) { return numbered_words<CongestionControl, ControlConfigs>(); }

// What a control does; null: nothing.
struct ControlHooks {
  void (*on_ack)(const ControlConfigs& configs, Flow& flow, std::uint32_t segment, std::uint64_t acknowledged,
                 bool echo) = nullptr;
  void (*on_round_trip)(const ControlConfigs& configs, Flow& flow, std::uint32_t segment,
                        Duration sample) = nullptr;
};

ControlHooks hooks_of(CongestionControl control);

// Of all controls.
std::string_view complaint(const ControlConfigs& configs);

}  // namespace overture::network::packet
