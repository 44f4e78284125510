// Every network that Overture can simulate, as data, and the one function that builds it. A new backend is
// its folder, with a configuration that fulfils backend.h, and a name in the variant. After that, no code
// asks a network its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "overture/network/analytical/config.h"
#include "overture/network/backend.h"
#include "overture/network/faults.h"
#include "overture/network/flow/backend.h"
#include "overture/network/network.h"
#include "overture/network/packet/backend.h"
#include "overture/network/rotor/backend.h"
#include "overture/network/wires.h"

namespace overture::network {

using NetworkConfig =
    std::variant<AnalyticalConfig, FlowNetworkConfig, PacketNetworkConfig, RotorNetworkConfig>;

// The settings of all backends of a variant.
template <class Variant>
struct SettingsOf;
template <Backend... One>
struct SettingsOf<std::variant<One...>> {
  using All = std::tuple<typename One::Settings...>;
};
using BackendSettings = SettingsOf<NetworkConfig>::All;

// What a setup says of its network, of which a backend takes what it needs.
struct NetworkChoice {
  std::size_t backend = 0;  // number in the list
  Wires wires;
  std::uint64_t seed = 1;
  BackendSettings settings;  // of all backends: some look at another's

  template <class Settings>
  const Settings& of() const {
    return std::get<Settings>(settings);
  }
};

// Throws UserError when the backend cannot do that.
NetworkConfig configure(const NetworkChoice& choice);

// `events` outlives the network. Throws UserError when the configuration cannot work.
std::unique_ptr<Network> make_network(const NetworkConfig& config, sim::EventQueue& events);

// The network's share of what fails. Throws UserError where it has no part that could.
void set_faults(NetworkConfig& config, const Faults& faults);

Wires wires_of(const NetworkConfig& config);

int count_hosts(const NetworkConfig& config);

// How collectives see the ranks of the network unless a setup says otherwise; see topology/graph_config.h.
topology::Hierarchy system_dimensions(const NetworkConfig& config, int ranks);

NetworkFacts facts_of(const NetworkConfig& config);

// The same network with one of its numbers twice as good, each with what was changed: "twice
// network.dimensions.0.bandwidth". None of networks whose users rather try settings.
std::vector<std::pair<std::string, NetworkConfig>> improvements(const NetworkConfig& config);

// What may make a run with this record faster: settings, and what one has to buy, each likeliest first.
std::vector<SetupChange> changes_to_try(const NetworkConfig& config, const NetworkRecord& record);

// Makes all links half as fast. False if it cannot.
bool halve_rates(NetworkConfig& config);

// Where the circuits of rotors come from; null if there are none.
topology::OperaSource* circuits_of(NetworkConfig& config);

// Which circuits are open when, if messages wait for them.
std::optional<topology::Opera> schedule_of(const NetworkConfig& config);

}  // namespace overture::network
