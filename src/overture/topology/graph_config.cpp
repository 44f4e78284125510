#include "overture/topology/graph_config.h"

#include <type_traits>

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

// Goes over the keys of a shape, as setups do, and keeps those of rates.
class RateKeys {
 public:
  explicit RateKeys(std::string_view key) : path_(std::string(key) + ".") {}

  void from(std::string_view) const {}
  template <class T>
  void field(std::string_view key, const T& value, std::string_view) {
    if constexpr (std::is_same_v<T, Bandwidth>) rates_.emplace_back(path_ + std::string(key), value);
  }
  void integers(std::string_view, const std::vector<int>&, std::string_view) const {}
  template <class Describe>
  void group(std::string_view key, std::string_view, Describe describe) {
    RateKeys inner(path_ + std::string(key));
    describe(inner);
    rates_.insert(rates_.end(), inner.rates_.begin(), inner.rates_.end());
  }

  const std::vector<std::pair<std::string, Bandwidth>>& rates() const { return rates_; }

 private:
  std::string path_;
  std::vector<std::pair<std::string, Bandwidth>> rates_;
};

}  // namespace

std::vector<std::pair<std::string, Bandwidth>> wire_rates(const GraphConfig& config) {
  return std::visit(
      []<class Shape>(Shape shape) -> std::vector<std::pair<std::string, Bandwidth>> {
        if constexpr (NamedShape<Shape>) {
          RateKeys keys(Shape::kKey);
          Shape::keys(keys, shape);
          return keys.rates();
        }
        return {};
      },
      config.shape);
}

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
