// Every graph of links that Overture can build, as data, and the one function that builds it. A new topology
// is its own file and its name in the variant: a configuration that builds itself, with a word and keys for
// setups (dragonfly.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "overture/topology/direct_connect.h"
#include "overture/topology/dragonfly.h"
#include "overture/topology/expander.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/hierarchy.h"
#include "overture/topology/hierarchy_graph.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/opera.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::topology {

struct GraphConfig {
  using Shape =
      std::variant<StarConfig, LeafSpineConfig, FatTreeConfig, TorusConfig, ExpanderConfig,
                   DirectConnectConfig, DragonflyConfig, HierarchyGraphConfig, std::filesystem::path>;
  Shape shape;
  std::optional<HierarchicalSwitchConfig> nodes;  // whose NICs are the hosts of the shape
  double oversubscription = 1;                    // of a leaf_spine or fat_tree: thins the upper tiers
};

// A shape that a setup can name.
template <class T>
concept NamedShape = requires {
  T::kKey;
};

// A shape whose upper tiers can be thinned.
template <class T>
concept ThinnableShape = requires(const T& shape) {
  oversubscribed(shape, 1.0);
};

// Throws UserError when it cannot be built.
Topology make_topology(const GraphConfig& config);

// The rates of its wires, by their keys: "star.wire.rate".
std::vector<std::pair<std::string, Bandwidth>> wire_rates(const GraphConfig& config);

// How a collective sees the hosts of such a graph, unless a setup says otherwise: a torus and a hierarchy by
// their own dimensions, nodes as GPUs of a node and nodes, all else as one switch. `hosts` are the graph's.
Hierarchy system_dimensions(const GraphConfig& config, int hosts);

// Circuits that are drawn, or given.
using OperaSource = std::variant<OperaConfig, Opera>;

// Throws UserError when there is no such schedule.
Opera make_opera(const OperaSource& source);

}  // namespace overture::topology
