#include "overture/network/rotor/backend.h"

#include "overture/base/error.h"
#include "overture/network/make_network.h"
#include "overture/network/rotor/rotor_network.h"

namespace overture::network {

RotorNetworkConfig RotorNetworkConfig::from(const NetworkChoice& choice) {
  const auto* wires = std::get_if<RotorWires>(&choice.wires.kind);
  if (wires == nullptr)
    throw UserError({.key = "network.backend"}, "rotor needs topology.opera", "use packet or flow");
  RotorNetworkConfig config{
      .topology = wires->circuits, .rotors = choice.of<rotor::RotorConfig>(), .paths = wires->paths};
  config.rotors.seed = choice.seed;
  return config;
}

std::unique_ptr<Network> RotorNetworkConfig::make(sim::EventQueue& events) const {
  return std::make_unique<rotor::RotorNetwork>(make_opera(topology), rotors, events, paths, faults);
}

void RotorNetworkConfig::set_faults(const Faults& what) { faults = what; }

Wires RotorNetworkConfig::wires() const {
  return {RotorWires{.circuits = topology, .rate = rotors.rate, .wire = rotors.wire, .paths = paths}};
}

}  // namespace overture::network
