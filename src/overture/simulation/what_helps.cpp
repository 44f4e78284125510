#include "overture/simulation/what_helps.h"

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
  const auto improvements = network::improvements(config.network);
  if (!result.complete || result.events > max_events || improvements.empty()) return found;
  const auto run = [&](std::string what, auto change) {
    SimulationConfig changed = config;
    change(changed);
    found.push_back({std::move(what), simulate(changed).finished});
  };
  for (const auto& [what, improved] : improvements)
    run(what, [&improved = improved](SimulationConfig& c) { c.network = improved; });
  if (config.system.endpoint_delay > Duration{}) {
    run("half of system.endpoint_delay", [](SimulationConfig& c) { c.system.endpoint_delay /= 2; });
  }
  if (!config.tasks)
    run("computing twice as fast", [](SimulationConfig& c) { compute_twice_as_fast(c.workload); });
  return found;
}

}  // namespace overture::simulation
