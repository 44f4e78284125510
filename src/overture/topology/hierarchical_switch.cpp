#include "overture/topology/hierarchical_switch.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// Nodes: GPUs, the switches inside the nodes, NICs, the switches between NICs.
struct Numbering {
  int gpus_per_node;
  int nics_per_node;
  int nodes;

  int gpus() const { return nodes * gpus_per_node; }
  int first_nic() const { return gpus() + nodes; }
  bool nic_per_gpu() const { return nics_per_node == gpus_per_node; }
  // The NIC that traffic for a GPU comes through: its own, or one of its node's.
  int nic(int gpu) const { return gpu / gpus_per_node * nics_per_node + gpu % gpus_per_node % nics_per_node; }
};

// Ports: a GPU's are the node's switch and, with NICs of its own, its NIC. A node switch's are its GPUs, then
// its NICs. A NIC's are its owner, then those it has in the scale-out network.
class HierarchicalRouting final : public Routing {
 public:
  HierarchicalRouting(const Numbering& numbering, std::unique_ptr<const Routing> scale_out)
      : numbering_(numbering), scale_out_(std::move(scale_out)) {}

  int port(int at, int to, const Pick& pick) const override {
    const Numbering& n = numbering_;
    const int node = to / n.gpus_per_node;
    if (at < n.gpus()) return at / n.gpus_per_node == node || !n.nic_per_gpu() ? 0 : 1;
    if (at < n.first_nic()) {
      if (at - n.gpus() == node) return to % n.gpus_per_node;
      return n.gpus_per_node + pick.among(n.nics_per_node, to % n.nics_per_node, at);
    }
    const int local = at - n.first_nic();
    const int target = n.nic(to);
    if (local == target) return 0;
    return scale_out_->port(local, target, pick) + (local < n.nodes * n.nics_per_node ? 1 : 0);
  }

 private:
  Numbering numbering_;
  std::unique_ptr<const Routing> scale_out_;
};

Numbering number(const HierarchicalSwitchConfig& config, const Graph& scale_out) {
  if (config.gpus_per_node < 1 || config.nics_per_node < 1 || config.nics_per_node > config.gpus_per_node) {
    throw UserError("a node has at least one GPU and from one NIC to one per GPU");
  }
  if (scale_out.hosts() % config.nics_per_node != 0) {
    throw UserError(fmt::format("the scale-out network has {} hosts, which {} NICs per node do not divide",
                                scale_out.hosts(), config.nics_per_node));
  }
  require_buildable("a network of nodes", static_cast<double>(scale_out.hosts()) / config.nics_per_node *
                                              (double{1} * config.gpus_per_node + config.nics_per_node));
  return {.gpus_per_node = config.gpus_per_node,
          .nics_per_node = config.nics_per_node,
          .nodes = scale_out.hosts() / config.nics_per_node};
}

// Do GPUs reach those of their own node no later than those of another one, on links of their own?
bool stand_apart(const HierarchicalSwitchConfig& config, const Numbering& n, const Graph& scale_out) {
  return n.nic_per_gpu() && n.nodes > 1 && std::ranges::all_of(scale_out.links(), [&](const Link& link) {
           return link.wire.rate <= config.inside.rate && link.wire.delay >= 2 * config.inside.delay;
         });
}

}  // namespace

Topology hierarchical_switch(const HierarchicalSwitchConfig& config, Topology scale_out) {
  const Numbering n = number(config, scale_out.graph);
  const bool apart = stand_apart(config, n, scale_out.graph);
  std::vector<Link> links;
  for (int gpu = 0; gpu < n.gpus(); ++gpu)
    connect(links, gpu, n.gpus() + gpu / n.gpus_per_node, config.inside);
  for (int nic = 0; nic < scale_out.graph.hosts(); ++nic) {
    const int owner = n.nic_per_gpu() ? nic : n.gpus() + nic / n.nics_per_node;
    connect(links, owner, n.first_nic() + nic, config.pcie);
  }
  std::vector<std::string> tiers{"inside", "pcie"};
  for (Link link : scale_out.graph.links()) {
    link.from += n.first_nic();
    link.to += n.first_nic();
    link.wire.tier += 2;
    links.push_back(link);
  }
  tiers.insert(tiers.end(), scale_out.graph.tiers().begin(), scale_out.graph.tiers().end());
  const int switches = n.nodes + scale_out.graph.nodes();
  Graph graph(n.gpus(), switches, std::move(links), std::move(tiers));
  graph.set_machine_nodes(n.first_nic() + scale_out.graph.hosts());
  if (apart) graph.set_hosts_of_machine(n.gpus_per_node);
  return {.graph = std::move(graph),
          .routing = std::make_unique<HierarchicalRouting>(n, std::move(scale_out.routing))};
}

}  // namespace overture::topology
