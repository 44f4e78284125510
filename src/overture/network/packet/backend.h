// Packets on links as a backend (network/backend.h).
#pragma once

#include <memory>
#include <string_view>

#include "overture/network/backend.h"
#include "overture/network/packet/config.h"
#include "overture/topology/graph_config.h"

namespace overture::network {

struct PacketNetworkConfig {
  static constexpr std::string_view kWord = "packet";
  using Settings = packet::PacketConfig;

  topology::GraphConfig topology;
  packet::PacketConfig packets;
  Faults faults{};

  static PacketNetworkConfig from(const NetworkChoice& choice);
  std::unique_ptr<Network> make(sim::EventQueue& events) const;
  void set_faults(const Faults& what);
  Wires wires() const;
  static NetworkFacts facts() { return {}; }
  std::vector<SetupChange> changes_to_try(const NetworkRecord& record) const;
};

}  // namespace overture::network
