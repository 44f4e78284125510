#include "overture/topology/direct_connect.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/topology/shortest_path.h"

namespace overture::topology {
namespace {

std::vector<int> jumps_of(const DirectConnectConfig& config) {
  constexpr int kMaxNodes = 1 << 14;
  if (config.nodes < 2 || config.nodes > kMaxNodes) {
    throw UserError(fmt::format("a direct connection joins 2 to {} nodes, not {}", kMaxNodes, config.nodes));
  }
  if (config.jumps.empty()) return direct_connect_jumps(config.nodes, config.degree);
  for (const int jump : config.jumps) {
    if (jump < 1 || jump >= config.nodes || std::gcd(jump, config.nodes) != 1) {
      throw UserError(
          fmt::format("a jump of {} does not make a ring through all {} nodes", jump, config.nodes),
          "use a number below the nodes that has no common divisor with them");
    }
  }
  return config.jumps;
}

}  // namespace

std::vector<int> direct_connect_jumps(int nodes, int degree) {
  std::vector<int> candidates;
  for (int jump = 1; jump < nodes; ++jump) {
    if (std::gcd(jump, nodes) == 1) candidates.push_back(jump);
  }
  if (degree < 1 || degree > static_cast<int>(candidates.size())) {
    throw UserError(fmt::format("{} nodes have {} different rings, not {}", nodes, candidates.size(), degree),
                    fmt::format("use a degree from 1 to {}", candidates.size()));
  }
  std::vector<int> jumps;
  for (int i = 0; i < degree; ++i) {
    const double target = std::pow(nodes, static_cast<double>(i) / degree);
    const auto nearest =
        std::ranges::min_element(candidates, {}, [&](int jump) { return std::abs(jump - target); });
    jumps.push_back(*nearest);
    candidates.erase(nearest);
  }
  return jumps;
}

Topology direct_connect(const DirectConnectConfig& config) {
  const std::vector<int> jumps = jumps_of(config);
  const Wire inside{
      .rate = config.fibre.rate * static_cast<std::int64_t>(jumps.size()), .delay = {}, .tier = 0};
  std::vector<Link> links;
  for (int node = 0; node < config.nodes; ++node) connect(links, node, config.nodes + node, inside);
  for (const int jump : jumps) {
    for (int node = 0; node < config.nodes; ++node) {
      const int next = (node + jump) % config.nodes;
      links.push_back({.from = config.nodes + node, .to = config.nodes + next, .wire = config.fibre});
    }
  }
  Graph graph(config.nodes, config.nodes, std::move(links), {"node", "fibre"});
  auto routing = std::make_unique<ShortestPathRouting>(graph);
  return {.graph = std::move(graph), .routing = std::move(routing)};
}

std::vector<std::vector<int>> direct_connect_rings(const DirectConnectConfig& config) {
  std::vector<std::vector<int>> rings;
  for (const int jump : jumps_of(config)) {
    auto& ring = rings.emplace_back();
    for (int step = 0; step < config.nodes; ++step) {
      ring.push_back(static_cast<int>(std::int64_t{step} * jump % config.nodes));
    }
  }
  return rings;
}

Topology DirectConnectConfig::build() const { return direct_connect(*this); }

}  // namespace overture::topology
