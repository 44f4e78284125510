#include "overture/network/analytical/config.h"

#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"
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

void check_dimension(const DimensionConfig& d, const std::string& file, const std::string& where) {
  const auto fail = [&](const std::string& what, const std::string& hint = {}) {
    throw UserError({.file = file, .key = where}, what, hint);
  };
  if (d.size < 1) fail(fmt::format("has {} units", d.size), "a dimension has at least one unit");
  if (!(d.link_gib_per_s > 0) || !std::isfinite(d.link_gib_per_s)) {
    fail("link bandwidth must be above zero");
  }
  const auto need_duration = [&](const char* what, double ns) {
    if (!(ns >= 0) || ns > 1e12)
      fail(fmt::format("{} of {} ns is out of range", what, ns), "use 0 ns to 1000 s");
  };
  need_duration("link latency", d.link_latency_ns);
  need_duration("NIC latency", d.nic_latency_ns);
  need_duration("router latency", d.router_latency_ns);
  if (d.memory_scale < 0 || !std::isfinite(d.memory_scale)) fail("memory scale must not be negative");
  if (d.memory_scale > 0) {
    need_duration("memory latency", d.memory_latency_ns);
    if (!(d.memory_bytes_per_ns > 0)) fail("memory bandwidth must be above zero");
  }
  if (d.links < 1 || usable_links(d) < 1) {
    fail(fmt::format("{} links per NPU leave none usable", d.links),
         d.kind == topology::DimensionKind::ring ? "a ring needs two, one to either side"
                                                 : "a full mesh needs one to each of the other units");
  }
  if (d.packaging == Packaging::pod_to_pod && d.kind != topology::DimensionKind::switched) {
    fail("dimension type PP (pod to pod) allows only Switch");
  }
}

}  // namespace overture::network
