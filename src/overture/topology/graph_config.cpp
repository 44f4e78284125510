#include "overture/topology/graph_config.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/topology/graph_file.h"

namespace overture::topology {
namespace {

template <class Shape>
Topology build(const Shape& shape, double oversubscription) {
  if (oversubscription == 1) return shape.build();
  if constexpr (ThinnableShape<Shape>) return oversubscribed(shape, oversubscription).build();
  throw UserError("only a leaf_spine or fat_tree can be oversubscribed");
}
Topology build(const std::filesystem::path& file, double oversubscription) {
  if (oversubscription != 1) throw UserError("a graph in a file cannot be oversubscribed");
  return read_graph(file);
}

}  // namespace

Topology make_topology(const GraphConfig& config) {
  Topology built =
      std::visit([&](const auto& shape) { return build(shape, config.oversubscription); }, config.shape);
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
  return std::get<Opera>(source);
}

}  // namespace overture::topology
