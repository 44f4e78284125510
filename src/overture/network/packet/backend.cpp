#include "overture/network/packet/backend.h"

#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/credits.h"
#include "overture/network/make_network.h"
#include "overture/network/packet/packet_faults.h"
#include "overture/network/packet/packet_network.h"

namespace overture::network {

PacketNetworkConfig PacketNetworkConfig::from(const NetworkChoice& choice) {
  const std::optional<topology::GraphConfig> links = links_of(choice.wires);
  if (!links)
    throw UserError({.key = "network.backend"}, "packet has no rotors",
                    "use rotor, or flow for a quick look");
  PacketNetworkConfig config{.topology = *links, .packets = choice.of<packet::PacketConfig>()};
  config.packets.seed = choice.seed;
  try {
    require_sound(config.packets);
  } catch (const UserError& error) {
    throw at({.key = "network"}, error);
  }
  return config;
}

std::unique_ptr<Network> PacketNetworkConfig::make(sim::EventQueue& events) const {
  if (has_credits(*this)) return make_credit_network(*this, events);
  return std::make_unique<packet::PacketNetwork>(make_topology(topology), packets, events, faults);
}

void PacketNetworkConfig::set_faults(const Faults& what) {
  if (what.touch_network()) packet::require_recovery(packets);
  faults = what;
}

std::vector<SetupChange> PacketNetworkConfig::changes_to_try(const NetworkRecord& record) const {
  std::vector<SetupChange> changes = settings_to_try(packets, record);
  for (SetupChange& faster : faster_wires(topology)) changes.push_back(std::move(faster));
  return changes;
}

Wires PacketNetworkConfig::wires() const { return {topology}; }

}  // namespace overture::network
