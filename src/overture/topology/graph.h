// A network as a graph: hosts, switches and one-way links with a rate and a delay. Says what is connected to
// what; which way a packet goes is the business of routing.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"

namespace overture::topology {

// What a cable is made of. A tier names a layer of the network ("host", "core") in reports.
struct Wire {
  Bandwidth rate;
  Duration delay{};
  int tier = 0;
};

// Of a wire: light goes round the Earth 7,000 times. Longer ones would not leave room to add times up.
constexpr Duration kMostDelay = std::chrono::seconds(1000);

struct Link {
  int from = 0;
  int to = 0;
  Wire wire;
};

// Nodes are numbered hosts first, then switches. The links that leave a node are its ports, numbered from 0
// in the order in which they were connected; the links of one node have consecutive ids.
class Graph {
 public:
  // Throws UserError when a link has no rate, a negative delay or one beyond kMostDelay, or an unknown end,
  // or when a host cannot reach another one.
  Graph(int hosts, int switches, std::vector<Link> links, std::vector<std::string> tiers);

  int hosts() const { return hosts_; }
  int nodes() const { return static_cast<int>(first_link_.size()) - 1; }
  bool is_host(int node) const { return node < hosts_; }
  // Is the node a host or a part of the machine that hosts are in, such as a NIC or the switch between GPUs?
  bool is_inside_machine(int node) const { return node < machine_nodes_; }
  // Those are the first so many nodes; without a word, the hosts.
  void set_machine_nodes(int nodes) { machine_nodes_ = nodes; }
  // Hosts in blocks of so many, each block a machine: they reach each other over links that nobody else
  // takes, which are alike in all machines and neither slower nor longer than any to another machine. 0: it
  // is not so.
  int hosts_of_machine() const { return hosts_of_machine_; }
  void set_hosts_of_machine(int hosts) { hosts_of_machine_ = hosts; }

  const std::vector<Link>& links() const { return links_; }
  const std::vector<std::string>& tiers() const { return tiers_; }

  int ports(int node) const { return first_link_[node + 1] - first_link_[node]; }
  int first_link(int node) const { return first_link_[node]; }
  const Link& link(int node, int port) const { return links_[first_link_[node] + port]; }
  std::span<const Link> links_of(int node) const {
    return std::span(links_).subspan(first_link_[node], ports(node));
  }

 private:
  int hosts_;
  int machine_nodes_;
  int hosts_of_machine_ = 0;
  std::vector<Link> links_;  // sorted by `from`
  std::vector<std::string> tiers_;
  std::vector<int> first_link_;
};

// The keys of a wire in a setup. `v` is one of the visitors of setup/visitors.h.
template <class V>
void describe(V& v, std::string_view key, Wire& wire, std::string_view help) {
  v.group(key, help, [&](auto& group) {
    group.field("rate", wire.rate, "In one direction");
    group.field("delay", wire.delay, "From one end to the other");
  });
}

// h0, h1, ... for hosts; s0, s1, ... for switches.
std::string node_name(const Graph& graph, int node);

// Throws UserError when a network of so many cables cannot be held in memory; asked before one is built.
// `what` is its name, such as "a star".
void require_buildable(std::string_view what, double cables);

// A cable: one link each way.
void connect(std::vector<Link>& links, int a, int b, const Wire& wire);

}  // namespace overture::topology
