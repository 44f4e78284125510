#include "overture/network/cost.h"

#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network {
namespace {

using topology::DimensionKind;

// What parts cost at a rate.
class Parts {
 public:
  explicit Parts(const Prices& prices) : prices_(prices) {}

  double share(Bandwidth rate) const {
    return static_cast<double>(rate.bits_per_second()) / static_cast<double>(prices_.rate.bits_per_second());
  }
  double link(Bandwidth rate) const { return prices_.link.amount() * share(rate); }
  double nic(Bandwidth rate) const { return prices_.nic.amount() * share(rate); }
  double port(Bandwidth rate) const {
    return prices_.switch_box.amount() / prices_.switch_ports * share(rate);
  }

 private:
  const Prices& prices_;
};

// Dimensions, as the original counts: by links of so many GiB/s, and whole switches at any rate.
class Dimensions {
 public:
  Dimensions(const AnalyticalConfig& config, const Prices& prices) : config_(config), prices_(prices) {}

  double cost() const {
    double ranks = 1;
    for (const DimensionConfig& d : config_.dimensions) ranks *= d.size;
    double total = ranks * prices_.npu.amount();
    double ranks_up_to_here = 1;
    for (const DimensionConfig& d : config_.dimensions) {
      ranks_up_to_here *= d.size;
      total += dimension(d, ranks, ranks_up_to_here);
    }
    return total;
  }

 private:
  // Exact for the original's 50, which numbers of NICs are rounded up by.
  double reference_gib() const { return static_cast<double>(prices_.rate.bits_per_second()) / 8 / (1 << 30); }

  double link_price(const DimensionConfig& d) const {
    if (d.packaging == Packaging::tile) {
      return d.kind == DimensionKind::ring ? prices_.tile_link.amount() * d.link_gib_per_s / reference_gib()
                                           : -1;
    }
    return prices_.link.amount() * d.link_gib_per_s / reference_gib();
  }

  double switches(double ports) const {
    return std::ceil(ports / prices_.switch_ports) * prices_.switch_box.amount();
  }

  double pod_to_pod(const DimensionConfig& d, double ranks_up_to_here) const {
    const int innermost = config_.dimensions.front().size;
    const double nics_per_package = std::ceil(innermost * d.link_gib_per_s * d.links / reference_gib());
    const double nics = nics_per_package * (ranks_up_to_here / innermost);
    return nics * (prices_.nic.amount() + prices_.link.amount()) + switches(nics);
  }

  double dimension(const DimensionConfig& d, double ranks, double ranks_up_to_here) const {
    switch (d.kind) {
      case DimensionKind::ring: return ranks * (d.links / 2) * link_price(d);
      case DimensionKind::fully_connected: {
        if (d.size < 2) return 0;
        const double pairs = static_cast<double>(d.size) * (d.size - 1) / 2;
        return pairs * usable_links(d) * (ranks / d.size) * link_price(d);
      }
      case DimensionKind::switched:
        if (d.packaging == Packaging::pod_to_pod) return pod_to_pod(d, ranks_up_to_here);
        return ranks_up_to_here * d.links * link_price(d) + switches(ranks_up_to_here * d.links);
    }
    return 0;
  }

  const AnalyticalConfig& config_;
  const Prices& prices_;
};

// Machines and their parts; so is a router that one machine alone is on, as in a torus.
std::vector<bool> inside_machines(const topology::Graph& graph) {
  std::vector<int> machines(static_cast<std::size_t>(graph.nodes()));
  for (const topology::Link& link : graph.links()) {
    if (graph.is_inside_machine(link.from)) ++machines[static_cast<std::size_t>(link.to)];
  }
  std::vector<bool> inside(machines.size());
  for (int node = 0; node < graph.nodes(); ++node) {
    const auto i = static_cast<std::size_t>(node);
    inside[i] = graph.is_inside_machine(node) || (machines[i] == 1 && graph.ports(node) > 2);
  }
  return inside;
}

double cost_of(const AnalyticalConfig& config, const Prices& prices) {
  return cost_in_dollars(config, prices);
}
double cost_of(const topology::GraphConfig& config, const Prices& prices) {
  return cost_in_dollars(make_topology(config).graph, prices);
}
double cost_of(const RotorWires& rotors, const Prices& prices) {
  return cost_in_dollars(make_opera(rotors.circuits), rotors.rate, prices);
}

// A list whose prices are watts.
Prices in_watts(Prices prices) {
  prices.link = prices.tile_link = Dollars{prices.link_watts};
  prices.nic = Dollars{prices.nic_watts};
  prices.switch_box = Dollars{prices.switch_watts};
  prices.rotor_port = Dollars{prices.rotor_port_watts};
  prices.npu = Dollars{prices.npu_watts};
  return prices;
}

// Only this part costs anything.
Prices only(const Prices& all, Dollars Prices::*part) {
  Prices one = all;
  one.link = one.tile_link = one.nic = one.switch_box = one.rotor_port = one.npu = Dollars{0};
  one.*part = all.*part;
  if (part == &Prices::link) one.tile_link = all.tile_link;
  return one;
}

}  // namespace

void require_sound(const Prices& prices) {
  if (prices.rate == Bandwidth{}) throw UserError({.key = "rate"}, "must be above zero");
  if (prices.switch_ports < 1)
    throw UserError({.key = "switch_ports"}, fmt::format("{} is less than 1", prices.switch_ports));
}

double cost_in_dollars(const AnalyticalConfig& config, const Prices& prices) {
  return Dimensions(config, prices).cost();
}

double cost_in_dollars(const topology::Graph& graph, const Prices& prices) {
  const Parts parts(prices);
  const std::vector<bool> inside = inside_machines(graph);
  double total = graph.hosts() * prices.npu.amount();
  for (const topology::Link& link : graph.links()) {
    const std::string& tier = graph.tiers()[static_cast<std::size_t>(link.wire.tier)];
    if (tier == "inside" || tier == "pcie") continue;  // of a machine; topology/hierarchical_switch.h
    const bool from_machine = inside[static_cast<std::size_t>(link.from)];
    const bool to_machine = inside[static_cast<std::size_t>(link.to)];
    const bool to_own_router = graph.is_inside_machine(link.from) != graph.is_inside_machine(link.to);
    if (from_machine && to_machine && to_own_router) continue;
    total += parts.link(link.wire.rate) / 2;  // the other half is the link back
    if (!from_machine) total += parts.port(link.wire.rate);
    if (from_machine && !to_machine) total += parts.nic(link.wire.rate);
  }
  return total;
}

double cost_in_dollars(const topology::Opera& opera, Bandwidth rate, const Prices& prices) {
  const Parts parts(prices);
  const double host = parts.nic(rate) + parts.link(rate) + parts.port(rate) + prices.npu.amount();
  const double uplink = parts.link(rate) + parts.port(rate) + prices.rotor_port.amount();
  return opera.hosts() * host + static_cast<double>(opera.tors()) * opera.uplinks() * uplink;
}

double cost_in_dollars(const NetworkConfig& config, const Prices& prices) {
  return std::visit([&](const auto& kind) { return cost_of(kind, prices); }, wires_of(config).kind);
}

double power_in_watts(const NetworkConfig& config, const Prices& prices) {
  return cost_in_dollars(config, in_watts(prices));
}

std::vector<CostPart> cost_parts(const NetworkConfig& config, const Prices& prices) {
  const std::vector<std::pair<const char*, Dollars Prices::*>> kinds{{"links", &Prices::link},
                                                                     {"NICs", &Prices::nic},
                                                                     {"switches", &Prices::switch_box},
                                                                     {"rotor ports", &Prices::rotor_port},
                                                                     {"NPUs", &Prices::npu}};
  std::vector<CostPart> parts;
  for (const auto& [name, part] : kinds) {
    const double dollars = cost_in_dollars(config, only(prices, part));
    const double watts = cost_in_dollars(config, only(in_watts(prices), part));
    if (dollars != 0 || watts != 0) parts.push_back({name, dollars, watts});
  }
  return parts;
}

}  // namespace overture::network
