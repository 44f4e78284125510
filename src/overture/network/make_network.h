// Every network that Overture can simulate, as data, and the one function that builds it. A new backend is
// its folder, a line in the variant and a line in make_network.cpp. After that, no code asks a network its
// kind.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "overture/network/analytical/config.h"
#include "overture/network/faults.h"
#include "overture/network/flow/config.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/network/network.h"
#include "overture/network/packet/config.h"
#include "overture/network/rotor/config.h"
#include "overture/topology/graph_config.h"
#include "overture/topology/opera_paths.h"

namespace overture::network {

// Max-min fair flows on links, or on the circuits of rotors.
struct FlowNetworkConfig {
  std::variant<topology::GraphConfig, topology::OperaSource> topology;
  flow::FlowConfig fluid;         // of links
  flow::RotorFluidConfig rotors;  // of circuits
  Faults faults{};                // of links
};

struct PacketNetworkConfig {
  topology::GraphConfig topology;
  packet::PacketConfig packets;
  Faults faults{};
};

struct RotorNetworkConfig {
  topology::OperaSource topology;
  rotor::RotorConfig rotors;
  // Of low-latency packets; drawn if they are not given.
  std::optional<topology::OperaPaths> paths{};
  Faults faults{};
};

using NetworkConfig =
    std::variant<AnalyticalConfig, FlowNetworkConfig, PacketNetworkConfig, RotorNetworkConfig>;

// `events` outlives the network. Throws UserError when the configuration cannot work.
std::unique_ptr<Network> make_network(const NetworkConfig& config, sim::EventQueue& events);

// The network's share of what fails. Throws UserError where it has no part that could.
void set_faults(NetworkConfig& config, const Faults& faults);

// How collectives see the ranks of the network unless a setup says otherwise; see topology/graph_config.h.
topology::Hierarchy system_dimensions(const NetworkConfig& config, int ranks);

// Do messages share links, so that no rank can stand for another?
bool shares_links(const NetworkConfig& config);

// The links of the analytical network, for backends that play links: a wire per directed link, as fast as
// the formula has it. Latencies of NICs, routers and memories are the formula's alone.
topology::HierarchyGraphConfig links_of(const AnalyticalConfig& config);

}  // namespace overture::network
