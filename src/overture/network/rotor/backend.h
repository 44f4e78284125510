// Packets on rotors as a backend (network/backend.h).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "overture/network/backend.h"
#include "overture/network/rotor/config.h"
#include "overture/topology/graph_config.h"
#include "overture/topology/opera_paths.h"

namespace overture::network {

struct RotorNetworkConfig {
  static constexpr std::string_view kWord = "rotor";
  using Settings = rotor::RotorConfig;

  topology::OperaSource topology;
  rotor::RotorConfig rotors;
  // Of low-latency packets; drawn if they are not given.
  std::optional<topology::OperaPaths> paths{};
  Faults faults{};

  static RotorNetworkConfig from(const NetworkChoice& choice);
  std::unique_ptr<Network> make(sim::EventQueue& events) const;
  void set_faults(const Faults& what);
  Wires wires() const;
  static NetworkFacts facts() { return {}; }
  std::vector<SetupChange> changes_to_try(const NetworkRecord& record) const;
  topology::OperaSource* circuits() { return &topology; }
  std::optional<topology::Opera> schedule() const { return make_opera(topology); }
};

}  // namespace overture::network
