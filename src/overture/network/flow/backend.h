// Max-min fair flows as a backend (network/backend.h).
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "overture/network/backend.h"
#include "overture/network/flow/config.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/topology/graph_config.h"

namespace overture::network {

// What a setup says of the flow backend alone.
struct FluidSettings {
  std::optional<double> efficiency;
  std::optional<ConnectionUse> connections;
  flow::Circuits circuits = flow::Circuits::average;

  template <class V>
  static void keys(V& v, FluidSettings& f) {
    v.group("fluid", "Settings of backend: flow", [&](auto& g) {
      g.from("a wire without headers; 1436/1500 on rotors");
      g.field("efficiency", f.efficiency, "Payload divided by bytes on the wire");
      g.field("connections", f.connections,
              "Messages of a pair take turns, or share the links; as the transport does if left out");
      g.field("circuits", f.circuits,
              "topology.opera: circuits that open and close, or their average over a cycle, with relays");
    });
  }
};

// On links, or on the circuits of rotors.
struct FlowNetworkConfig {
  static constexpr std::string_view kWord = "flow";
  using Settings = FluidSettings;

  std::variant<topology::GraphConfig, topology::OperaSource> topology;
  flow::FlowConfig fluid;         // of links
  flow::RotorFluidConfig rotors;  // of circuits
  Faults faults{};                // of links

  static FlowNetworkConfig from(const NetworkChoice& choice);
  std::unique_ptr<Network> make(sim::EventQueue& events) const;
  void set_faults(const Faults& what);
  Wires wires() const;
  NetworkFacts facts() const { return {.whole_exchanges = true}; }
  std::vector<SetupChange> changes_to_try(const NetworkRecord& record) const;
  bool halve_rates();
  topology::OperaSource* circuits() { return std::get_if<topology::OperaSource>(&topology); }
};

}  // namespace overture::network
