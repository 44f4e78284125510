#include "overture/network/wires.h"

#include <cmath>

namespace overture::network {
namespace {

topology::HierarchyGraphConfig links(const AnalyticalConfig& config) {
  topology::HierarchyGraphConfig links;
  for (const DimensionConfig& d : config.dimensions) {
    const auto rate = Bandwidth::bits_per_second(std::llround(8e9 * directed_bytes_per_ns(d)));
    const Duration delay{std::llround(1000 * d.link_latency_ns)};
    links.dimensions.push_back({.kind = d.kind, .size = d.size, .wire = {.rate = rate, .delay = delay}});
  }
  return links;
}

int hosts(const AnalyticalConfig& config) { return hierarchy(config).ranks(); }
int hosts(const topology::GraphConfig& config) { return make_topology(config).graph.hosts(); }

// Without drawing the circuits, unless the numbers are odd: drawing says what is wrong with them.
int hosts(const RotorWires& rotors) {
  const topology::OperaSource& source = rotors.circuits;
  constexpr int kMost = 1 << 15;
  const auto* config = std::get_if<topology::OperaConfig>(&source);
  const auto usual = [](int number) { return number >= 2 && number < kMost; };
  if (config == nullptr || !usual(config->tors) || !usual(config->ports)) return make_opera(source).hosts();
  return config->tors * (config->ports / 2);
}

topology::Hierarchy dimensions(const AnalyticalConfig& config, int) { return hierarchy(config); }
topology::Hierarchy dimensions(const topology::GraphConfig& config, int ranks) {
  return topology::system_dimensions(config, ranks);
}
topology::Hierarchy dimensions(const RotorWires&, int ranks) {
  return topology::Hierarchy({{topology::DimensionKind::switched, ranks}});
}

}  // namespace

std::optional<topology::GraphConfig> links_of(const Wires& wires) {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&wires.kind)) return *graph;
  if (const auto* formula = std::get_if<AnalyticalConfig>(&wires.kind))
    return topology::GraphConfig{.shape = links(*formula), .nodes = {}};
  return std::nullopt;
}

int count_hosts(const Wires& wires) {
  return std::visit([](const auto& kind) { return hosts(kind); }, wires.kind);
}

std::vector<SetupChange> faster_wires(const topology::GraphConfig& config) {
  std::vector<SetupChange> faster;
  for (const auto& [key, rate] : topology::wire_rates(config))
    faster.push_back(twice_the_rate("network.topology." + key, rate));
  return faster;
}

topology::Hierarchy system_dimensions(const Wires& wires, int ranks) {
  return std::visit([&](const auto& kind) { return dimensions(kind, ranks); }, wires.kind);
}

}  // namespace overture::network
