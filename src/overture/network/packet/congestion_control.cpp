#include "overture/network/packet/congestion_control.h"

namespace overture::network::packet {
namespace {

template <Control One>
ControlHooks hooks() {
  ControlHooks hooks;
  if constexpr (requires { &One::on_ack; }) {
    hooks.on_ack = [](const ControlConfigs& configs, Flow& flow, std::uint32_t segment,
                      std::uint64_t acknowledged,
                      bool echo) { std::get<One>(configs).on_ack(flow, segment, acknowledged, echo); };
  }
  if constexpr (requires { &One::on_round_trip; }) {
    hooks.on_round_trip = [](const ControlConfigs& configs, Flow& flow, std::uint32_t segment,
                             Duration sample) {
      std::get<One>(configs).on_round_trip(flow, segment, sample);
    };
  }
  return hooks;
}

template <Control... One>
ControlHooks hooks_in(CongestionControl control, const std::tuple<One...>*) {
  ControlHooks found;
  ((control == kControl<One> ? void(found = hooks<One>()) : void()), ...);
  return found;
}

}  // namespace

ControlHooks hooks_of(CongestionControl control) {
  return hooks_in(control, static_cast<const ControlConfigs*>(nullptr));
}

std::string_view complaint(const ControlConfigs& configs) {
  std::string_view first;
  const auto look = [&](const auto& one) { first = first.empty() ? one.complaint() : first; };
  std::apply([&](const auto&... each) { (look(each), ...); }, configs);
  return first;
}

}  // namespace overture::network::packet
