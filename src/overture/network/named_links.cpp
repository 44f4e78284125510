#include "overture/network/named_links.h"

namespace overture::network {

NetworkRecord named_links(const topology::Graph& graph, NetworkRecord::Detail detail) {
  NetworkRecord record{.detail = detail, .tiers = graph.tiers()};
  record.links.reserve(graph.links().size());
  for (const topology::Link& link : graph.links()) {
    record.links.push_back({.from = node_name(graph, link.from),
                            .to = node_name(graph, link.to),
                            .tier = static_cast<std::size_t>(link.wire.tier),
                            .rate = link.wire.rate,
                            .total = {}});
  }
  return record;
}

}  // namespace overture::network
