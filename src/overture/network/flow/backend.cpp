#include "overture/network/flow/backend.h"

#include <utility>

#include "overture/network/flow/flow_network.h"
#include "overture/network/make_network.h"

namespace overture::network {

FlowNetworkConfig FlowNetworkConfig::from(const NetworkChoice& choice) {
  FlowNetworkConfig config;
  const auto& settings = choice.of<FluidSettings>();
  if (const auto* rotors = std::get_if<RotorWires>(&choice.wires.kind)) {
    config.topology = rotors->circuits;
    config.rotors = {.circuits = settings.circuits, .rate = rotors->rate, .wire = rotors->wire};
    if (settings.efficiency) config.rotors.efficiency = *settings.efficiency;
    if (settings.connections) config.rotors.connections = *settings.connections;
    return config;
  }
  const auto& packets = choice.of<packet::PacketConfig>();
  config.topology = *links_of(choice.wires);
  config.fluid.paths = packets.paths;
  config.fluid.seed = choice.seed;
  config.fluid.efficiency = settings.efficiency.value_or(1);
  config.fluid.connections = settings.connections.value_or(connections_of(packets));
  return config;
}

std::unique_ptr<Network> FlowNetworkConfig::make(sim::EventQueue& events) const {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&topology))
    return std::make_unique<flow::FlowNetwork>(make_topology(*graph), fluid, events, faults);
  flow::RotorFluid made = rotor_fluid(make_opera(std::get<topology::OperaSource>(topology)), rotors);
  return std::make_unique<flow::FlowNetwork>(std::move(made.topology), made.config, events);
}

void FlowNetworkConfig::set_faults(const Faults& what) {
  if (std::holds_alternative<topology::OperaSource>(topology))
    return refuse_network_faults(what, "flow on topology.opera");
  faults = what;
}

std::vector<SetupChange> FlowNetworkConfig::changes_to_try(const NetworkRecord&) const {
  const auto* graph = std::get_if<topology::GraphConfig>(&topology);
  return graph == nullptr ? std::vector<SetupChange>{} : faster_wires(*graph);
}

bool FlowNetworkConfig::halve_rates() {
  fluid.efficiency /= 2;
  rotors.efficiency /= 2;
  return true;
}

Wires FlowNetworkConfig::wires() const {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&topology)) return {*graph};
  return {RotorWires{
      .circuits = std::get<topology::OperaSource>(topology), .rate = rotors.rate, .wire = rotors.wire}};
}

}  // namespace overture::network
