#include "overture/topology/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::topology {
namespace {

void require_sound(const Link& link, int nodes) {
  if (link.from < 0 || link.from >= nodes || link.to < 0 || link.to >= nodes) {
    throw UserError(
        fmt::format("a link between nodes {} and {}, but nodes are 0 to {}", link.from, link.to, nodes - 1));
  }
  if (link.wire.rate <= Bandwidth::bits_per_second(0)) {
    throw UserError(fmt::format("the link between nodes {} and {} has no rate", link.from, link.to));
  }
  if (link.wire.delay < Duration::zero()) {
    throw UserError(fmt::format("the link between nodes {} and {} has a negative delay", link.from, link.to));
  }
  if (link.wire.delay > kMostDelay) {
    throw UserError(fmt::format("the link between nodes {} and {} has a delay of {}", link.from, link.to,
                                to_string(link.wire.delay)),
                    fmt::format("use at most {}", to_string(kMostDelay)));
  }
}

std::vector<bool> reachable(const Graph& graph, int start, bool against) {
  std::vector<std::vector<int>> into(against ? graph.nodes() : 0);
  if (against) {
    for (const Link& link : graph.links()) into[link.to].push_back(link.from);
  }
  std::vector<bool> seen(graph.nodes());
  std::vector<int> todo{start};
  seen[start] = true;
  const auto visit = [&](int node) {
    if (!seen[node]) todo.push_back(node);
    seen[node] = true;
  };
  while (!todo.empty()) {
    const int node = todo.back();
    todo.pop_back();
    if (against) {
      std::ranges::for_each(into[node], visit);
    } else {
      for (const Link& link : graph.links_of(node)) visit(link.to);
    }
  }
  return seen;
}

void require_connected(const Graph& graph) {
  for (const bool against : {false, true}) {
    const std::vector<bool> seen = reachable(graph, 0, against);
    const auto lost = std::find(seen.begin(), seen.begin() + graph.hosts(), false);
    if (lost != seen.begin() + graph.hosts()) {
      throw UserError(fmt::format("the network is disconnected: no path {} host 0 {} host {}",
                                  against ? "to" : "from", against ? "from" : "to", lost - seen.begin()));
    }
  }
}

}  // namespace

Graph::Graph(int hosts, int switches, std::vector<Link> links, std::vector<std::string> tiers)
    : hosts_(hosts),
      machine_nodes_(hosts),
      links_(std::move(links)),
      tiers_(std::move(tiers)),
      first_link_(hosts + switches + 1) {
  if (hosts < 1) throw UserError("a network needs at least one host");
  for (const Link& link : links_) require_sound(link, nodes());
  std::ranges::stable_sort(links_, {}, &Link::from);
  for (const Link& link : links_) ++first_link_[link.from + 1];
  for (int node = 0; node < nodes(); ++node) first_link_[node + 1] += first_link_[node];
  require_connected(*this);
}

void require_buildable(std::string_view what, double cables) {
  constexpr double kMost = 1 << 24;  // 1.3 GB as a graph, 11 GB with the queues of a packet simulation
  if (cables <= kMost) return;
  throw UserError(fmt::format("{} with {:.0f} cables is too large for memory", what, cables),
                  fmt::format("at most {:.0f} cables fit", kMost));
}

std::string node_name(const Graph& graph, int node) {
  return graph.is_host(node) ? fmt::format("h{}", node) : fmt::format("s{}", node - graph.hosts());
}

void connect(std::vector<Link>& links, int a, int b, const Wire& wire) {
  links.push_back({.from = a, .to = b, .wire = wire});
  links.push_back({.from = b, .to = a, .wire = wire});
}

}  // namespace overture::topology
