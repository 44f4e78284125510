// Every network that Overture can simulate, as data, and the one function that builds it. A new backend is
// its folder, with a configuration that fulfils backend.h, and a name in the variant. After that, no code
// asks a network its kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

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

// Of a variant of backends: their words, their settings, and one of them by its number.
template <class Variant>
struct BackendList;
template <Backend... One>
struct BackendList<std::variant<One...>> {
  using Settings = std::tuple<typename One::Settings...>;
  static constexpr std::array<std::string_view, sizeof...(One)> kWords{One::kWord...};

  template <class Config>
  static constexpr std::size_t number() {
    std::size_t number = 0;
    static_cast<void>(((std::is_same_v<Config, One> || (++number, false)) || ...));
    return number;
  }
};
using Backends = BackendList<NetworkConfig>;

// What a setup says of its network, of which a backend takes what it needs.
struct NetworkChoice {
  std::size_t backend = 0;  // number in the list
  Wires wires;
  std::uint64_t seed = 1;
  Backends::Settings settings;  // of all backends: some look at another's

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

// Do messages share links, so that no rank can stand for another?
bool shares_links(const NetworkConfig& config);

}  // namespace overture::network
