#include "overture/topology/fat_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

// Nodes: hosts, edges pod by pod, aggregations pod by pod, cores. An edge's ports are its hosts, then its
// aggregations; an aggregation's its edges, then its cores; a core's the pods.
class FatTreeRouting final : public Routing {
 public:
  FatTreeRouting(int k, int hosts_per_edge) : half_(k / 2), down_(hosts_per_edge) {
    first_edge_ = k * half_ * down_;
    first_aggregation_ = first_edge_ + k * half_;
    first_core_ = first_aggregation_ + k * half_;
  }

  int port(int at, int to, const Pick& pick) const override {
    const int edge = to / down_;
    const int pod = edge / half_;
    if (at < first_edge_) return 0;
    if (at < first_aggregation_) {
      if (at - first_edge_ == edge) return to % down_;
      return down_ + pick.among(half_, to % half_, at);
    }
    if (at < first_core_) {
      if ((at - first_aggregation_) / half_ == pod) return edge % half_;
      return half_ + pick.among(half_, to / half_ % half_, at);
    }
    return pod;
  }

 private:
  int half_;
  int down_;
  int first_edge_;
  int first_aggregation_;
  int first_core_;
};

int hosts_per_edge(const FatTreeConfig& config) {
  return config.hosts_per_edge == 0 ? config.k / 2 : config.hosts_per_edge;
}

void require_sound(const FatTreeConfig& config) {
  constexpr int kMaxK = 128;  // 524,288 hosts at k/2 an edge
  if (config.k < 2 || config.k % 2 != 0 || config.k > kMaxK) {
    throw UserError(fmt::format("a fat tree's k must be even and from 2 to {}, not {}", kMaxK, config.k));
  }
  if (config.hosts_per_edge < 0) throw UserError("a fat tree's hosts per edge cannot be negative");
}

}  // namespace

Topology fat_tree(const FatTreeConfig& config) {
  require_sound(config);
  const int half = config.k / 2;
  const int edges = config.k * half;
  const int down = hosts_per_edge(config);
  const int hosts = edges * down;
  const int first_aggregation = hosts + edges;
  const int first_core = first_aggregation + edges;
  std::vector<Link> links;
  links.reserve(2 * (static_cast<std::size_t>(hosts) + 2 * static_cast<std::size_t>(edges) * half));
  for (int host = 0; host < hosts; ++host) connect(links, host, hosts + host / down, config.host);
  for (int edge = 0; edge < edges; ++edge) {
    const int pod = edge / half;
    for (int a = 0; a < half; ++a) {
      connect(links, hosts + edge, first_aggregation + pod * half + a, config.aggregation);
    }
  }
  for (int aggregation = 0; aggregation < edges; ++aggregation) {
    const int a = aggregation % half;
    for (int c = 0; c < half; ++c)
      connect(links, first_aggregation + aggregation, first_core + a * half + c, config.core);
  }
  return {.graph = Graph(hosts, 2 * edges + half * half, std::move(links), {"host", "aggregation", "core"}),
          .routing = std::make_unique<FatTreeRouting>(config.k, down)};
}

double oversubscription(const FatTreeConfig& config) {
  const auto gbps = [](const Wire& wire) { return wire.rate.bytes_per_ns(); };
  const double thinnest = std::min(gbps(config.aggregation), gbps(config.core)) * config.k / 2;
  return hosts_per_edge(config) * gbps(config.host) / thinnest;
}

FatTreeConfig oversubscribed(FatTreeConfig config, double ratio) {
  if (!(ratio > 0)) throw UserError("an oversubscription must be above 0");
  const double bits = static_cast<double>(config.host.rate.bits_per_second()) * hosts_per_edge(config) /
                      (config.k / 2.0) / ratio;
  config.aggregation.rate = config.core.rate = Bandwidth::bits_per_second(static_cast<std::int64_t>(bits));
  return config;
}

Topology FatTreeConfig::build() const { return fat_tree(*this); }

}  // namespace overture::topology
