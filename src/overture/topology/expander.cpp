#include "overture/topology/expander.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/topology/matching.h"
#include "overture/topology/shortest_path.h"

namespace overture::topology {
namespace {

void require_sound(const ExpanderConfig& config) {
  constexpr int kMaxTors = 4096;
  if (config.tors < 2 || config.tors % 2 != 0 || config.tors > kMaxTors) {
    throw UserError(
        fmt::format("an expander has an even number of ToRs, from 2 to {}, not {}", kMaxTors, config.tors));
  }
  if (config.hosts_per_tor < 1) throw UserError("an expander's ToR has at least one host");
  if (config.uplinks < 1 || config.uplinks > config.tors - 1) {
    throw UserError(
        fmt::format("{} ToRs cannot each have {} different neighbours", config.tors, config.uplinks),
        fmt::format("use 1 to {} uplinks", config.tors - 1));
  }
  if (config.draws < 1) throw UserError("at least one draw is needed");
}

struct Hops {
  int worst = 0;
  std::int64_t sum = 0;
  bool connected = true;

  bool better_than(const Hops& other) const {
    return worst != other.worst ? worst < other.worst : sum < other.sum;
  }
};

Hops count_hops(std::span<const Matching> matchings) {
  const std::size_t tors = matchings[0].size();
  Hops hops;
  for (std::size_t from = 0; from < tors; ++from) {
    std::vector<int> distance(tors, -1);
    std::vector<int> queue{static_cast<int>(from)};
    distance[from] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Matching& matching : matchings) {
        const int next = matching[queue[i]];
        if (distance[next] >= 0) continue;
        distance[next] = distance[queue[i]] + 1;
        hops.sum += distance[next];
        queue.push_back(next);
      }
    }
    hops.worst = std::max(hops.worst, distance[queue.back()]);
    hops.connected &= queue.size() == tors;
  }
  return hops;
}

// The best of several draws; without the loops of the identity, which is left out from the start.
std::vector<Matching> draw(const ExpanderConfig& config) {
  RandomStream random = RandomStreams(config.seed).make("expander matchings");
  std::vector<Matching> all = circle_matchings(config.tors);
  all.erase(all.begin());
  mix(all, 200 * config.tors, random);
  std::vector<Matching> best;
  Hops fewest;
  for (int n = 0; n < config.draws; ++n) {
    mix(all, 2 * config.tors, random);
    for (int i = 0; i < config.uplinks; ++i) {
      std::swap(all[i], all[static_cast<std::size_t>(i) + random.below(all.size() - i)]);
    }
    const auto chosen = std::span<const Matching>(all).first(config.uplinks);
    const Hops hops = count_hops(chosen);
    if (!hops.connected || (!best.empty() && !hops.better_than(fewest))) continue;
    best.assign(chosen.begin(), chosen.end());
    fewest = hops;
  }
  if (best.empty()) {
    throw UserError(fmt::format("no expander of {} ToRs with {} uplinks that was drawn is connected",
                                config.tors, config.uplinks),
                    "use more uplinks");
  }
  return best;
}

}  // namespace

Topology expander(const ExpanderConfig& config) {
  require_sound(config);
  const int hosts = config.tors * config.hosts_per_tor;
  std::vector<Link> links;
  for (int host = 0; host < hosts; ++host) {
    connect(links, host, hosts + host / config.hosts_per_tor, config.host);
  }
  for (const Matching& matching : draw(config)) {
    for (int tor = 0; tor < config.tors; ++tor) {
      if (tor < matching[tor]) connect(links, hosts + tor, hosts + matching[tor], config.fabric);
    }
  }
  Graph graph(hosts, config.tors, std::move(links), {"host", "fabric"});
  auto routing = std::make_unique<ShortestPathRouting>(graph);
  return {.graph = std::move(graph), .routing = std::move(routing)};
}

Topology ExpanderConfig::build() const { return expander(*this); }

}  // namespace overture::topology
