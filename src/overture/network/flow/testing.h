// For the tests of the flow-level backend: the same fluid, computed the plain way, flow by flow and from
// scratch at every change; and lists of flows.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "overture/base/random.h"
#include "overture/network/flow/flow_paths.h"
#include "overture/network/flow/run_flows.h"
#include "overture/topology/star.h"

namespace overture::network::flow::testing {

inline FlowSpec flow(int from, int to, Bytes size, Time start = {}) {
  return {.from = Rank{from}, .to = Rank{to}, .size = size, .start = start};
}

inline topology::Topology star(int hosts) { return topology::star({.hosts = hosts}); }

inline std::vector<FlowSpec> all_to_all(int hosts, Bytes size) {
  std::vector<FlowSpec> flows;
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to) {
      if (from != to) flows.push_back(flow(from, to, size));
    }
  }
  return flows;
}

// Completion times in picoseconds. Paths are drawn in the order of the list, as run_flows() does when flows
// are in order of their start.
inline std::vector<double> plain_fluid(const topology::Topology& topology, const FlowConfig& config,
                                       const std::vector<FlowSpec>& flows) {
  struct State {
    std::vector<Use> uses;
    double start, left, delay;
    int after = -1;  // the flow of its pair before it, if they take turns
  };
  FlowPaths ways(topology, config.paths, config.seed);
  std::vector<State> states;
  for (const FlowSpec& flow : flows) {
    const Way way = ways.find(index(flow.from), index(flow.to));
    State state{.uses = {},
                .start = static_cast<double>(flow.start.time_since_epoch().count()),
                .left = static_cast<double>(flow.size.count()),
                .delay = static_cast<double>(ways.delay(way).count())};
    if (config.latency == Latency::before) state.start += state.delay;
    if (way.first != kNoLink) state.uses = {{.link = way.first}, {.link = way.last}};
    for (const LinkShare& part : ways.bundle(way.bundle)) {
      state.uses.push_back(
          {.link = part.link, .load = static_cast<double>(part.share) / static_cast<double>(kWhole)});
    }
    if (config.connections == ConnectionUse::per_pair) {
      for (std::size_t i = 0; i < states.size(); ++i)
        if (flows[i].from == flow.from && flows[i].to == flow.to) state.after = static_cast<int>(i);
    }
    states.push_back(state);
  }
  std::vector<double> capacity;
  for (const topology::Link& link : topology.graph.links()) {
    capacity.push_back(static_cast<double>(link.wire.rate.bits_per_second()) / 8e12 * config.efficiency);
  }
  std::vector<double> completion(flows.size(), -1);
  std::size_t finished = 0;
  for (double now = 0; finished < flows.size();) {
    std::vector<std::size_t> active;
    std::vector<Demand> demands;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (completion[i] >= 0) continue;
      if (states[i].start > now) {
        next = std::min(next, states[i].start);
        continue;
      }
      if (states[i].after >= 0 && completion[static_cast<std::size_t>(states[i].after)] < 0) continue;
      active.push_back(i);
      const bool weighted = config.sharing == Sharing::inverse_latency;
      demands.push_back({.uses = states[i].uses, .weight = weighted ? 1 / states[i].delay : 1});
    }
    std::vector<double> rates;
    MaxMin().solve(capacity, demands, rates);
    for (std::size_t i = 0; i < active.size(); ++i)
      next = std::min(next, now + states[active[i]].left / rates[i]);
    for (std::size_t i = 0; i < active.size(); ++i) {
      State& state = states[active[i]];
      state.left -= rates[i] * (next - now);
      if (state.left > 1e-6) continue;
      ++finished;
      const double end = next + (config.latency == Latency::after ? state.delay : 0);
      completion[active[i]] = end - static_cast<double>(flows[active[i]].start.time_since_epoch().count());
    }
    now = next;
  }
  return completion;
}

// In order of start.
inline std::vector<FlowSpec> random_flows(int hosts, int count, std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("flows");
  std::vector<FlowSpec> flows;
  std::int64_t start = 0;
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
    const auto step = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(hosts - 1)));
    if (random.below(3) > 0) start += static_cast<std::int64_t>(random.below(20'000'000));
    flows.push_back({.from = Rank{from},
                     .to = Rank{(from + step) % hosts},
                     .size = Bytes{static_cast<std::int64_t>(1'000 + random.below(2'000'000))},
                     .start = Time{Duration{start}}});
  }
  return flows;
}

}  // namespace overture::network::flow::testing
