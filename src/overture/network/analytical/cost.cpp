#include "overture/network/analytical/cost.h"

#include <cmath>

namespace overture::network {
namespace {

using topology::DimensionKind;

// ASTRA-sim 1.0's analytical backend, CostModel: dollars per link of 50 GB/s (GB = 2^30 B), per switch of 40
// ports, per NIC of 50 GB/s.
constexpr double kLink = 100;
constexpr double kTileLink = 50;
constexpr double kReferenceGbytes = 50;
constexpr double kSwitch = 23698;
constexpr double kSwitchPorts = 40;
constexpr double kNic = 1200;

double link_price(const DimensionConfig& d) {
  if (d.packaging == Packaging::tile) {
    return d.kind == DimensionKind::ring ? kTileLink * d.link_gib_per_s / kReferenceGbytes : -1;
  }
  return kLink * d.link_gib_per_s / kReferenceGbytes;
}

double pod_to_pod_cost(const DimensionConfig& d, int innermost, double ranks_up_to_here) {
  const double nics_per_package = std::ceil(innermost * d.link_gib_per_s * d.links / kReferenceGbytes);
  const double nics = nics_per_package * (ranks_up_to_here / innermost);
  return nics * (kNic + kLink) + std::ceil(nics / kSwitchPorts) * kSwitch;
}

double dimension_cost(const DimensionConfig& d, int innermost, double ranks, double ranks_up_to_here) {
  switch (d.kind) {
    case DimensionKind::ring: return ranks * (d.links / 2) * link_price(d);
    case DimensionKind::fully_connected: {
      if (d.size < 2) return 0;
      const double pairs = static_cast<double>(d.size) * (d.size - 1) / 2;
      return pairs * usable_links(d) * (ranks / d.size) * link_price(d);
    }
    case DimensionKind::switched:
      if (d.packaging == Packaging::pod_to_pod) return pod_to_pod_cost(d, innermost, ranks_up_to_here);
      return ranks_up_to_here * d.links * link_price(d) +
             std::ceil(ranks_up_to_here * d.links / kSwitchPorts) * kSwitch;
  }
  return 0;
}

}  // namespace

double cost_in_dollars(const AnalyticalConfig& config) {
  double ranks = 1;
  for (const DimensionConfig& d : config.dimensions) ranks *= d.size;
  double total = 0;
  double ranks_up_to_here = 1;
  for (const DimensionConfig& d : config.dimensions) {
    ranks_up_to_here *= d.size;
    total += dimension_cost(d, config.dimensions.front().size, ranks, ranks_up_to_here);
  }
  return total;
}

}  // namespace overture::network
