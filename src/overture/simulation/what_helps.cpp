#include "overture/simulation/what_helps.h"

#include <fmt/format.h>

namespace overture::simulation {
namespace {

void compute_twice_as_fast(workload::Workload& workload) {
  for (workload::Layer& layer : workload.layers) {
    for (workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient})
      pass->compute /= 2;
  }
}

}  // namespace

std::vector<WhatIf> what_helps(const SimulationConfig& config, const SimulationResult& result,
                               std::uint64_t max_events) {
  std::vector<WhatIf> found;
  if (!result.complete || result.events > max_events ||
      !std::holds_alternative<network::AnalyticalConfig>(config.network))
    return found;
  const auto run = [&](std::string what, auto change) {
    SimulationConfig changed = config;
    change(changed);
    found.push_back({std::move(what), simulate(changed).finished});
  };
  for (std::size_t d = 0; d < analytical(config).dimensions.size(); ++d) {
    const std::string key = fmt::format("network.dimensions.{}.", d);
    run("twice " + key + "bandwidth",
        [d](SimulationConfig& c) { analytical(c).dimensions[d].link_gib_per_s *= 2; });
    if (analytical(config).dimensions[d].link_latency_ns > 0) {
      run("half of " + key + "latency",
          [d](SimulationConfig& c) { analytical(c).dimensions[d].link_latency_ns /= 2; });
    }
  }
  if (config.system.endpoint_delay > Duration{}) {
    run("half of system.endpoint_delay", [](SimulationConfig& c) { c.system.endpoint_delay /= 2; });
  }
  if (!config.tasks)
    run("computing twice as fast", [](SimulationConfig& c) { compute_twice_as_fast(c.workload); });
  return found;
}

}  // namespace overture::simulation
