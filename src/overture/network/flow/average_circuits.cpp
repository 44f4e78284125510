#include "overture/network/flow/average_circuits.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace overture::network::flow {
namespace {

using topology::Link;

// A way out of the rack: host, its NIC, its gate, the circuit between two ToRs, gate, NIC, host. Within the
// rack: host, NIC, ToR, NIC, host. Each is a node; what has a limit of its own is a link between two of them.
class Layout {
 public:
  explicit Layout(const topology::Opera& opera)
      : tors_(opera.tors()), hosts_per_tor_(opera.hosts_per_tor()), hosts_(opera.hosts()) {}

  int tors() const { return tors_; }
  int hosts() const { return hosts_; }
  int nodes() const { return circuit(tors_, 0); }
  int tor_of(int host) const { return host / hosts_per_tor_; }
  int nic(int host) const { return hosts_ + host; }
  int gate(int host) const { return 2 * hosts_ + host; }
  int tor(int tor) const { return 3 * hosts_ + tor; }
  int circuit(int from, int to) const { return 3 * hosts_ + tors_ + from * tors_ + to; }

  // Ports are numbered in the order in which links_of() makes them.
  enum NicPort { to_host, to_tor, to_gate };
  enum GatePort { to_nic, first_circuit };

  int port(int at, int to) const {
    const int rack = tor_of(to);
    const int place = to % hosts_per_tor_;
    if (at < hosts_) return 0;
    if (at < gate(0)) {
      if (at == nic(to)) return to_host;
      return tor_of(at - nic(0)) == rack ? to_tor : to_gate;
    }
    if (at >= tor(0)) return place;  // of a ToR, or of a circuit to the rack
    if (at == gate(to)) return to_nic;
    const int here = tor_of(at - gate(0));
    return first_circuit + (rack < here ? rack : rack - 1);
  }

 private:
  int tors_;
  int hosts_per_tor_;
  int hosts_;
};

class AverageRouting final : public topology::Routing {
 public:
  explicit AverageRouting(const Layout& layout) : layout_(layout) {}
  int port(int at, int to, const topology::Pick&) const override { return layout_.port(at, to); }

 private:
  Layout layout_;
};

struct Rates {
  Bandwidth nic;      // of a host, all slots together
  Bandwidth outside;  // without the slot in which its ToR faces itself
  Bandwidth slot;     // of one slot a cycle
  Bandwidth relayed;  // what a host passes on to another in it
};

Bandwidth scaled(Bandwidth rate, double factor) {
  return Bandwidth::bits_per_second(
      std::max<std::int64_t>(1, std::llround(static_cast<double>(rate.bits_per_second()) * factor)));
}

// A host has its turn with every rotor, so in a slot it sends a share of the uplinks' rate; one slot begins
// with every slice, and as many as there are ToRs make a cycle.
Rates rates_of(const topology::Opera& opera, const RotorFluidConfig& config) {
  const double share = to_us(opera.slot()) / to_us(opera.timing().slice());
  const int sharing = std::max(opera.uplinks(), opera.hosts_per_tor());
  const double tors = opera.tors();
  const Bandwidth nic = scaled(config.rate, share / sharing);
  // Only relays in other racks than the sender's and the receiver's meet both.
  return {.nic = nic,
          .outside = scaled(nic, (tors - 1) / tors),
          .slot = scaled(nic, 1 / tors),
          .relayed = scaled(nic, (tors - 2) / tors / (tors * opera.hosts_per_tor()))};
}

std::vector<Link> links_of(const Layout& layout, const Rates& rates, const RotorFluidConfig& config,
                           Duration cycle) {
  std::vector<Link> links;
  const auto add = [&](int from, int to, Bandwidth rate, Duration delay = Duration::zero()) {
    links.push_back({.from = from,
                     .to = to,
                     .wire = {.rate = rate, .delay = delay, .tier = from < layout.gate(0) ? 0 : 1}});
  };
  for (int host = 0; host < layout.hosts(); ++host) {
    const int rack = layout.tor_of(host);
    add(host, layout.nic(host), rates.nic);
    add(layout.nic(host), host, rates.nic);
    add(layout.nic(host), layout.tor(rack), config.rate);
    add(layout.nic(host), layout.gate(host), rates.outside);
    add(layout.gate(host), layout.nic(host), rates.outside);
    add(layout.tor(rack), layout.nic(host), config.rate);
    for (int other = 0; other < layout.tors(); ++other) {
      if (other == rack) continue;
      // The last byte waits until the last of the circuits over which its message went has come round.
      add(layout.gate(host), layout.circuit(rack, other), rates.slot, config.wire + cycle);
      add(layout.circuit(other, rack), layout.gate(host), rates.slot);
    }
  }
  return links;
}

RelayConfig relays_of(const topology::Graph& graph, const Layout& layout, const Rates& rates) {
  RelayConfig relay{.role_of_link = {}, .hosts = {}, .most_each = rates.relayed};
  relay.role_of_link.assign(graph.links().size(), LinkRole::none);
  for (std::size_t i = 0; i < graph.links().size(); ++i) {
    const Link& link = graph.links()[i];
    if (link.from >= layout.circuit(0, 0) || link.to >= layout.circuit(0, 0))
      relay.role_of_link[i] = LinkRole::circuit;
  }
  for (int host = 0; host < layout.hosts(); ++host) {
    const auto link = [&](int node, int port) {
      return static_cast<std::uint32_t>(graph.first_link(node) + port);
    };
    relay.hosts.push_back(
        {.out = {link(host, 0), link(layout.nic(host), Layout::to_gate)},
         .in = {link(layout.nic(host), Layout::to_host), link(layout.gate(host), Layout::to_nic)}});
    for (const std::uint32_t each : relay.hosts.back().out) relay.role_of_link[each] = LinkRole::out;
    for (const std::uint32_t each : relay.hosts.back().in) relay.role_of_link[each] = LinkRole::in;
  }
  return relay;
}

}  // namespace

RotorFluid average_circuits(const topology::Opera& opera, const RotorFluidConfig& config) {
  const Layout layout(opera);
  const Rates rates = rates_of(opera, config);
  topology::Graph graph(layout.hosts(), layout.nodes() - layout.hosts(),
                        links_of(layout, rates, config, opera.cycle()), {"host", "rotor"});
  FlowConfig flow{.paths = topology::PathRule::by_destination,
                  .efficiency = config.efficiency,
                  .connections = config.connections};
  flow.relay = relays_of(graph, layout, rates);
  const double slot_bytes =
      static_cast<double>(rates.slot.bits_per_second()) / 8 * config.efficiency * to_us(opera.cycle()) / 1e6;
  flow.relay.at_once = Bytes{std::llround(slot_bytes / opera.hosts_per_tor())};
  flow.relay.wait = opera.cycle();
  return {.topology = {.graph = std::move(graph), .routing = std::make_unique<AverageRouting>(layout)},
          .config = std::move(flow)};
}

}  // namespace overture::network::flow
