#include "overture/topology/graph_config.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/topology/dynexp_file.h"
#include "overture/topology/graph_file.h"

namespace overture::topology {
namespace {

Topology build(const StarConfig& config) { return star(config); }
Topology build(const LeafSpineConfig& config) { return leaf_spine(config); }
Topology build(const FatTreeConfig& config) { return fat_tree(config); }
Topology build(const TorusConfig& config) { return torus(config); }
Topology build(const ExpanderConfig& config) { return expander(config); }
Topology build(const DirectConnectConfig& config) { return direct_connect(config); }
Topology build(const HierarchyGraphConfig& config) { return hierarchy_graph(config); }
Topology build(const std::filesystem::path& file) { return read_graph(file); }

GraphConfig::Shape thinned(const GraphConfig& config) {
  if (config.oversubscription == 1) return config.shape;
  if (const auto* leaf_spine = std::get_if<LeafSpineConfig>(&config.shape))
    return oversubscribed(*leaf_spine, config.oversubscription);
  if (const auto* fat_tree = std::get_if<FatTreeConfig>(&config.shape))
    return oversubscribed(*fat_tree, config.oversubscription);
  throw UserError("only a leaf_spine or fat_tree can be oversubscribed");
}

}  // namespace

Topology make_topology(const GraphConfig& config) {
  Topology built = std::visit([](const auto& shape) { return build(shape); }, thinned(config));
  return config.nodes ? hierarchical_switch(*config.nodes, std::move(built)) : std::move(built);
}

Hierarchy system_dimensions(const GraphConfig& config, int hosts) {
  if (config.nodes && config.nodes->gpus_per_node < hosts) {
    return Hierarchy({{DimensionKind::switched, config.nodes->gpus_per_node},
                      {DimensionKind::switched, hosts / config.nodes->gpus_per_node}});
  }
  if (const auto* own = std::get_if<HierarchyGraphConfig>(&config.shape); own && !config.nodes)
    return hierarchy(*own);
  if (const auto* torus = std::get_if<TorusConfig>(&config.shape); torus && !config.nodes) {
    std::vector<Hierarchy::Dimension> rings;
    for (const int size : torus->sizes) rings.push_back({DimensionKind::ring, size});
    return Hierarchy(std::move(rings));
  }
  return Hierarchy({{DimensionKind::switched, hosts}});
}

Opera make_opera(const OperaSource& source) {
  if (const auto* config = std::get_if<OperaConfig>(&source)) return generate_opera(*config);
  if (const auto* file = std::get_if<std::filesystem::path>(&source)) return read_dynexp(*file).opera;
  return std::get<Opera>(source);
}

}  // namespace overture::topology
