#include "overture/network/make_network.h"

#include <cmath>

#include "overture/base/error.h"
#include "overture/network/analytical/closed_form.h"
#include "overture/network/analytical/shared_links.h"
#include "overture/network/credits.h"
#include "overture/network/flow/flow_network.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/rotor/rotor_network.h"

namespace overture::network {
namespace {

using Made = std::unique_ptr<Network>;

Made make(const AnalyticalConfig& config, sim::EventQueue& events) {
  return make_network(config, hierarchy(config), events);
}

Made make(const FlowNetworkConfig& config, sim::EventQueue& events) {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&config.topology))
    return std::make_unique<flow::FlowNetwork>(make_topology(*graph), config.fluid, events, config.faults);
  flow::RotorFluid fluid =
      rotor_fluid(make_opera(std::get<topology::OperaSource>(config.topology)), config.rotors);
  return std::make_unique<flow::FlowNetwork>(std::move(fluid.topology), fluid.config, events);
}

Made make(const PacketNetworkConfig& config, sim::EventQueue& events) {
  if (has_credits(config)) return make_credit_network(config, events);
  return std::make_unique<packet::PacketNetwork>(make_topology(config.topology), config.packets, events,
                                                 config.faults);
}

Made make(const RotorNetworkConfig& config, sim::EventQueue& events) {
  return std::make_unique<rotor::RotorNetwork>(make_opera(config.topology), config.rotors, events,
                                               config.paths, config.faults);
}

void give_faults(AnalyticalConfig&, const Faults& faults) { refuse_network_faults(faults, "analytical"); }
void give_faults(FlowNetworkConfig& config, const Faults& faults) {
  if (std::holds_alternative<topology::OperaSource>(config.topology))
    return refuse_network_faults(faults, "flow on topology.opera");
  config.faults = faults;
}
void give_faults(PacketNetworkConfig& config, const Faults& faults) {
  if (config.packets.transport == packet::TransportKind::plain && faults.touch_network())
    throw UserError({.key = "faults"},
                    "transport plain sends nothing twice: what a fault loses would be lost",
                    "use tcp, ndp, htsim_dctcp or roce");
  config.faults = faults;
}
void give_faults(RotorNetworkConfig& config, const Faults& faults) { config.faults = faults; }

topology::Hierarchy dimensions(const AnalyticalConfig& config, int) { return hierarchy(config); }
topology::Hierarchy dimensions(const PacketNetworkConfig& config, int ranks) {
  return topology::system_dimensions(config.topology, ranks);
}
topology::Hierarchy dimensions(const FlowNetworkConfig& config, int ranks) {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&config.topology))
    return topology::system_dimensions(*graph, ranks);
  return topology::Hierarchy({{topology::DimensionKind::switched, ranks}});
}
topology::Hierarchy dimensions(const RotorNetworkConfig&, int ranks) {
  return topology::Hierarchy({{topology::DimensionKind::switched, ranks}});
}

}  // namespace

std::unique_ptr<Network> make_network(const NetworkConfig& config, sim::EventQueue& events) {
  return std::visit([&](const auto& one) { return make(one, events); }, config);
}

void set_faults(NetworkConfig& config, const Faults& faults) {
  std::visit([&](auto& one) { give_faults(one, faults); }, config);
}

topology::Hierarchy system_dimensions(const NetworkConfig& config, int ranks) {
  return std::visit([&](const auto& one) { return dimensions(one, ranks); }, config);
}

bool shares_links(const NetworkConfig& config) {
  const auto* analytical = std::get_if<AnalyticalConfig>(&config);
  return analytical == nullptr || analytical->contention == Contention::links;
}

topology::HierarchyGraphConfig links_of(const AnalyticalConfig& config) {
  topology::HierarchyGraphConfig links;
  for (const DimensionConfig& d : config.dimensions) {
    const auto rate = Bandwidth::bits_per_second(std::llround(8e9 * directed_bytes_per_ns(d)));
    const Duration delay{std::llround(1000 * d.link_latency_ns)};
    links.dimensions.push_back({.kind = d.kind, .size = d.size, .wire = {.rate = rate, .delay = delay}});
  }
  return links;
}

}  // namespace overture::network
