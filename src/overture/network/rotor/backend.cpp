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

std::vector<SetupChange> RotorNetworkConfig::changes_to_try(const NetworkRecord&) const {
  const Bytes bulk_from = rotors.bulk_from;
  std::vector<SetupChange> changes{{"network.rotor.bulk_from=" + to_string(Bytes{bulk_from.count() / 4})},
                                   twice("network.rotor.bulk_from", bulk_from),
                                   twice_the_rate("network.rotor.rate", rotors.rate)};
  if (const auto* drawn = std::get_if<topology::OperaConfig>(&topology))
    changes.push_back({"network.topology.opera.dark=" + to_string(drawn->dark / 2), true});
  return changes;
}

Wires RotorNetworkConfig::wires() const {
  return {RotorWires{.circuits = topology, .rate = rotors.rate, .wire = rotors.wire, .paths = paths}};
}

}  // namespace overture::network
