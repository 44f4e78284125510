// Networks as a setup describes them, once for reading, writing and explaining (visitors.h). The keys of a
// backend, of its transports and of a topology are described beside their numbers, in keys().
#pragma once

#include <tuple>

#include "overture/setup/network_setup.h"
#include "overture/setup/visitors.h"

namespace overture::setup {

template <class V>
void describe(V& v, TopologyChoice& t) {
  v.from("ours: 100 Gbps and short wires, as data centres had when the references were made");
  t.shapes.each([&]<class Shape>(std::optional<Shape>& shape) {
    v.optional_group(Shape::kKey, shape, Shape::kHelp, [](auto& g, Shape& c) { Shape::keys(g, c); });
  });
  v.optional_group(
      "opera", t.opera, "Rotor switches (NSDI 2020): half of a ToR's ports to hosts, half to rotors",
      [](auto& g, OperaChoice& c) {
        g.from("Opera (NSDI 2020) and its simulator opera-htsim");
        g.field("tors", c.tors, "Top-of-rack switches");
        g.field("ports", c.ports, "Ports of each ToR; an even number");
        g.field("dark", c.dark, "Time that a rotor takes to change its circuits");
        g.field("slice", c.slice, "Length of a slice; 0: as short as the longest path allows");
        g.field("queue_packets", c.queue_packets,
                "Packets that may queue before a low-latency packet at each hop");
        g.field("draws", c.draws, "Schedules that are drawn; the one with the fewest hops is kept");
        g.field("file", c.file, "Instead of all these: the circuits of a dynexp file, beside the setup");
      });
  v.field("file", t.file, "A graph in a text file, beside the setup");
}

template <class V>
void describe(V& v, NetworkSetup& n) {
  v.from("ours");
  v.field("backend", n.backend,
          "What carries messages. Default: analytical for dimensions, packet for a topology, rotor for "
          "topology.opera. flow and packet also run on dimensions, flow also on opera");
  network::AnalyticalConfig::keys(v, n.analytical);
  v.group("topology", "A graph of links, or rotors: at most one of these, and instead of dimensions",
          [&](auto& g) { describe(g, n.topology); });
  v.optional_group("nodes", n.nodes, "Machines of several GPUs whose NICs are the hosts of the topology",
                   [](auto& g, topology::HierarchicalSwitchConfig& c) {
                     g.field("gpus_per_node", c.gpus_per_node, "GPUs in each node");
                     g.field("nics_per_node", c.nics_per_node,
                             "NICs in each node; fewer than GPUs are shared");
                     describe(g, "inside", c.inside, "Link from GPU to the node's switch");
                     describe(g, "pcie", c.pcie, "Link from GPU, or from the node's switch, to NIC");
                   });
  v.from("ours");
  v.field("oversubscription", n.oversubscription,
          "leaf_spine and fat_tree: rate below a tier over the rate above it; 1 is full bisection");
  v.field("prices", n.prices,
          "Price list (YAML), beside the setup, for the network's cost; the built-in examples/prices.yaml if "
          "left out");
  std::apply([&]<class... Settings>(Settings&... of_backend) { (Settings::keys(v, of_backend), ...); },
             n.settings);
}

}  // namespace overture::setup
