#include "overture/network/analytical/config.h"

#include "overture/network/analytical/closed_form.h"
#include "overture/network/analytical/shared_links.h"

namespace overture::network {

topology::Hierarchy hierarchy(const AnalyticalConfig& config) {
  std::vector<topology::Hierarchy::Dimension> dimensions;
  dimensions.reserve(config.dimensions.size());
  for (const DimensionConfig& d : config.dimensions) dimensions.push_back({d.kind, d.size});
  return topology::Hierarchy(std::move(dimensions));
}

int usable_links(const DimensionConfig& dimension) {
  switch (dimension.kind) {
    case topology::DimensionKind::ring: return dimension.links - dimension.links % 2;
    case topology::DimensionKind::fully_connected:
      return dimension.size > 1 ? dimension.links / (dimension.size - 1) : dimension.links;
    case topology::DimensionKind::switched: return dimension.links;
  }
  return 0;
}

double link_bytes_per_ns(const DimensionConfig& dimension) {
  return dimension.link_gib_per_s * (1 << 30) / 1e9;
}

double directed_bytes_per_ns(const DimensionConfig& dimension) {
  const int bundles = dimension.kind == topology::DimensionKind::ring && dimension.size > 2 ? 2 : 1;
  return link_bytes_per_ns(dimension) * usable_links(dimension) / bundles;
}

double rank_gib_per_s(const DimensionConfig& dimension) {
  const bool mesh = dimension.kind == topology::DimensionKind::fully_connected && dimension.size > 1;
  return usable_links(dimension) * (mesh ? dimension.size - 1 : 1) * dimension.link_gib_per_s;
}

std::unique_ptr<Network> make_network(const AnalyticalConfig& config, const topology::Hierarchy& machine,
                                      sim::EventQueue& events) {
  if (config.contention == Contention::none) return std::make_unique<ClosedForm>(config, machine, events);
  return std::make_unique<SharedLinks>(config, machine, events);
}

}  // namespace overture::network
