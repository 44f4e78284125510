#include "overture/topology/hierarchy_graph.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// Where nodes and ports are. A router's ports: its rank, then those of each dimension: up and, in a ring of
// more than two, down; one per peer of a mesh, in the order of coordinates; the switch. A switch has a port
// per coordinate.
class Places {
 public:
  explicit Places(Hierarchy machine) : machine_(std::move(machine)) {
    int port = 1;
    int node = 2 * ranks();
    for (int d = 0; d < machine_.dimensions(); ++d) {
      first_port_.push_back(port);
      first_switch_.push_back(node);
      port += ports(d);
      if (has_switch(d)) node += ranks() / size(d);
    }
    nodes_ = node;
  }

  const Hierarchy& machine() const { return machine_; }
  int ranks() const { return machine_.ranks(); }
  int nodes() const { return nodes_; }
  int size(int d) const { return machine_.dimension(d).size; }
  bool is(int d, DimensionKind kind) const { return machine_.dimension(d).kind == kind; }
  bool has_switch(int d) const { return is(d, DimensionKind::switched) && size(d) > 1; }
  int first_port(int d) const { return first_port_[static_cast<std::size_t>(d)]; }
  int router(int rank) const { return ranks() + rank; }
  int coordinate(int rank, int d) const { return machine_.coordinate(Rank{rank}, d); }

  int ports(int d) const {
    if (size(d) == 1) return 0;
    if (is(d, DimensionKind::fully_connected)) return size(d) - 1;
    return is(d, DimensionKind::ring) && size(d) > 2 ? 2 : 1;
  }
  int with_coordinate(int rank, int d, int coordinate) const {
    return rank + (coordinate - this->coordinate(rank, d)) * machine_.stride(d);
  }
  // The switch of the rank's group: groups are numbered by the other coordinates.
  int switch_of(int rank, int d) const {
    const int stride = machine_.stride(d);
    return first_switch_[static_cast<std::size_t>(d)] + rank / (stride * size(d)) * stride + rank % stride;
  }
  int dimension_of_switch(int node) const {
    int found = 0;
    for (int d = 0; d < machine_.dimensions(); ++d) {
      if (has_switch(d) && first_switch_[static_cast<std::size_t>(d)] <= node) found = d;
    }
    return found;
  }

 private:
  Hierarchy machine_;
  std::vector<int> first_port_;    // of every dimension, at a router
  std::vector<int> first_switch_;  // of every dimension
  int nodes_ = 0;
};

class HierarchyRouting final : public Routing {
 public:
  explicit HierarchyRouting(Places places) : places_(std::move(places)) {}

  int port(int at, int to, const Pick& pick) const override {
    if (at < places_.ranks()) return 0;
    if (at >= 2 * places_.ranks()) return places_.coordinate(to, places_.dimension_of_switch(at));
    const int here = at - places_.ranks();
    for (int d = 0; d < places_.machine().dimensions(); ++d) {
      if (places_.coordinate(here, d) != places_.coordinate(to, d)) return port_along(d, here, to, pick);
    }
    return 0;
  }

 private:
  int port_along(int d, int here, int to, const Pick& pick) const {
    const int first = places_.first_port(d);
    const int size = places_.size(d);
    const int from = places_.coordinate(here, d);
    const int target = places_.coordinate(to, d);
    if (places_.is(d, DimensionKind::switched) || size == 2) return first;
    if (places_.is(d, DimensionKind::fully_connected)) return first + target - (target > from ? 1 : 0);
    const int ahead = (target - from + size) % size;
    if (2 * ahead == size) return first + pick.among(2, 0, places_.router(here));
    return first + (2 * ahead > size ? 1 : 0);
  }

  Places places_;
};

void connect_dimension(std::vector<Link>& links, const Places& places, int d, int rank, const Wire& wire) {
  const int size = places.size(d);
  const int here = places.coordinate(rank, d);
  const auto add = [&](int node) {
    links.push_back({.from = places.router(rank), .to = node, .wire = wire});
  };
  const auto to_peer = [&](int peer) { add(places.router(places.with_coordinate(rank, d, peer))); };
  if (size == 1) return;
  switch (places.machine().dimension(d).kind) {
    case DimensionKind::ring:
      to_peer((here + 1) % size);
      if (size > 2) to_peer((here + size - 1) % size);
      return;
    case DimensionKind::fully_connected:
      for (int peer = 0; peer < size; ++peer)
        if (peer != here) to_peer(peer);
      return;
    case DimensionKind::switched: return add(places.switch_of(rank, d));
  }
}

// Downwards, in the order of coordinates, so that a switch's port is the coordinate.
void connect_switches(std::vector<Link>& links, const Places& places, int d, const Wire& wire) {
  if (!places.has_switch(d)) return;
  for (int rank = 0; rank < places.ranks(); ++rank)
    links.push_back({.from = places.switch_of(rank, d), .to = places.router(rank), .wire = wire});
}

void require_sound(const HierarchyGraphConfig& config) {
  if (config.dimensions.empty()) throw UserError("a hierarchy has at least one dimension");
  double ranks = 1;
  double cables = 1;
  for (const HierarchyGraphConfig::Dimension& dimension : config.dimensions) {
    if (dimension.size < 1) throw UserError("every dimension of a hierarchy has at least one rank");
    ranks *= dimension.size;
    cables += dimension.kind == DimensionKind::fully_connected ? dimension.size - 1 : 2;
  }
  require_buildable("a hierarchy", ranks * cables);
}

}  // namespace

Hierarchy hierarchy(const HierarchyGraphConfig& config) {
  std::vector<Hierarchy::Dimension> dimensions;
  for (const HierarchyGraphConfig::Dimension& d : config.dimensions) dimensions.push_back({d.kind, d.size});
  return Hierarchy(std::move(dimensions));
}

Topology hierarchy_graph(const HierarchyGraphConfig& config) {
  require_sound(config);
  const Places places(hierarchy(config));
  std::vector<std::string> tiers{"local"};
  std::vector<Wire> wires;
  for (const HierarchyGraphConfig::Dimension& dimension : config.dimensions) {
    wires.push_back(dimension.wire);
    wires.back().tier = static_cast<int>(tiers.size());
    tiers.push_back(fmt::format("dimension {}", tiers.size() - 1));
  }
  std::vector<Link> links;
  for (int rank = 0; rank < places.ranks(); ++rank) {
    connect(links, rank, places.router(rank), config.local);
    for (std::size_t d = 0; d < wires.size(); ++d)
      connect_dimension(links, places, static_cast<int>(d), rank, wires[d]);
  }
  for (std::size_t d = 0; d < wires.size(); ++d)
    connect_switches(links, places, static_cast<int>(d), wires[d]);
  Graph graph(places.ranks(), places.nodes() - places.ranks(), std::move(links), std::move(tiers));
  return {.graph = std::move(graph), .routing = std::make_unique<HierarchyRouting>(places)};
}

Topology HierarchyGraphConfig::build() const { return hierarchy_graph(*this); }

}  // namespace overture::topology
