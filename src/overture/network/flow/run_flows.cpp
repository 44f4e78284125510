#include "overture/network/flow/run_flows.h"

#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::flow {

FluidRun run_flows(topology::Topology topology, const FlowConfig& config,
                   const std::vector<FlowSpec>& flows) {
  network::require_sound(flows, topology.graph.hosts());
  sim::EventQueue events;
  FlowNetwork network(std::move(topology), config, events);
  FluidRun result{play_flows(network, events, flows), network.statistics()};
  if (result.finished != flows.size()) {
    throw UserError(fmt::format("{} of {} flows can never end: a link on their path never has any capacity",
                                flows.size() - result.finished, flows.size()));
  }
  return result;
}

}  // namespace overture::network::flow
