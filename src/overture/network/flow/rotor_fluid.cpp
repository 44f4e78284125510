#include "overture/network/flow/rotor_fluid.h"

#include <utility>
#include <vector>

#include "overture/network/flow/average_circuits.h"

namespace overture::network::flow {
namespace {

// A ToR's ports are its hosts, then the other ToRs in order.
class DirectRouting final : public topology::Routing {
 public:
  DirectRouting(int hosts, int hosts_per_tor) : hosts_(hosts), hosts_per_tor_(hosts_per_tor) {}

  int port(int at, int to, const topology::Pick&) const override {
    if (at < hosts_) return 0;
    const int here = at - hosts_;
    const int there = to / hosts_per_tor_;
    if (here == there) return to % hosts_per_tor_;
    return hosts_per_tor_ + (there < here ? there : there - 1);
  }

 private:
  int hosts_;
  int hosts_per_tor_;
};

// Open for a slot from the start of a slice on, once a cycle; the last ones run on into the next cycle.
CapacitySchedule slot_of(const topology::Opera& opera, int slice) {
  const Duration start = opera.timing().slice() * slice;
  const Duration end = start + opera.slot();
  if (end <= opera.cycle()) return {opera.cycle(), {{.from = start, .to = end}}};
  const Duration over = end - opera.cycle();
  if (over >= start) return {opera.cycle(), {{.from = Duration::zero(), .to = opera.cycle()}}};
  return {opera.cycle(), {{.from = Duration::zero(), .to = over}, {.from = start, .to = opera.cycle()}}};
}

}  // namespace

RotorFluid rotor_fluid(const topology::Opera& opera, const RotorFluidConfig& config) {
  using topology::Link;
  if (config.circuits == Circuits::average) return average_circuits(opera, config);
  const int hosts = opera.hosts();
  const auto pair = [&](int from, int to) {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(opera.tors()) +
           static_cast<std::size_t>(to);
  };
  // Every pair meets once a cycle: in the slot of the rotor that has just come up as some slice begins.
  FlowConfig flow{.paths = topology::PathRule::by_destination,
                  .efficiency = config.efficiency,
                  .connections = config.connections};
  std::vector<int> meets(pair(opera.tors(), 0), 0);
  for (int slice = 0; slice < opera.slices(); ++slice) {
    flow.schedules.push_back(slot_of(opera, slice));
    for (int tor = 0; tor < opera.tors(); ++tor) {
      meets[pair(tor, opera.peer(slice, tor, opera.fresh_rotor(slice)))] = slice;
    }
  }
  std::vector<Link> links;
  const topology::Wire to_host{.rate = config.rate, .delay = Duration::zero(), .tier = 0};
  const topology::Wire circuit{.rate = config.rate, .delay = config.wire, .tier = 1};
  for (int host = 0; host < hosts; ++host) connect(links, host, hosts + opera.tor_of(host), to_host);
  for (int from = 0; from < opera.tors(); ++from) {
    for (int to = 0; to < opera.tors(); ++to) {
      if (from != to) links.push_back({.from = hosts + from, .to = hosts + to, .wire = circuit});
    }
  }
  RotorFluid fluid{
      .topology = {.graph = topology::Graph(hosts, opera.tors(), std::move(links), {"host", "rotor"}),
                   .routing = std::make_unique<DirectRouting>(hosts, opera.hosts_per_tor())},
      .config = {}};
  for (const Link& link : fluid.topology.graph.links()) {
    const bool is_circuit = link.from >= hosts && link.to >= hosts;
    flow.schedule_of_link.push_back(is_circuit ? meets[pair(link.from - hosts, link.to - hosts)] : -1);
  }
  fluid.config = std::move(flow);
  return fluid;
}

}  // namespace overture::network::flow
