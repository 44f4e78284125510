#include "overture/network/flow/run_flows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::flow {
namespace {

void require_sound(const FlowSpec& flow, int hosts) {
  for (const Rank host : {flow.from, flow.to}) {
    if (index(host) < 0 || index(host) >= hosts) {
      throw UserError(fmt::format("a flow names host {}, but hosts are 0 to {}", index(host), hosts - 1));
    }
  }
  if (flow.size < Bytes{0}) throw UserError("a flow has a negative size");
  if (flow.start < Time{}) throw UserError("a flow starts before time 0");
}

struct Runner {
  FlowNetwork& network;
  sim::EventQueue& events;
  const std::vector<FlowSpec>& flows;
  RunResult& result;
  std::size_t finished = 0;

  void start(std::uint32_t i) {
    const FlowSpec& flow = flows[i];
    network.send({.from = flow.from, .to = flow.to, .size = flow.size}, [this, i] { end(i); });
  }
  void end(std::uint32_t i) {
    result.completion[i] = events.now() - flows[i].start;
    result.makespan = std::max(result.makespan, events.now().time_since_epoch());
    ++finished;
  }
};

}  // namespace

RunResult run_flows(topology::Topology topology, const FlowConfig& config,
                    const std::vector<FlowSpec>& flows) {
  for (const FlowSpec& flow : flows) require_sound(flow, topology.graph.hosts());
  sim::EventQueue events;
  FlowNetwork network(std::move(topology), config, events);
  RunResult result;
  result.completion.resize(flows.size());
  Runner runner{.network = network, .events = events, .flows = flows, .result = result};
  for (std::uint32_t i = 0; i < flows.size(); ++i) {
    events.at(flows[i].start, [&runner, i] { runner.start(i); });
  }
  events.run();
  if (runner.finished != flows.size()) {
    throw UserError(fmt::format("{} of {} flows can never end: a link on their way never has any capacity",
                                flows.size() - runner.finished, flows.size()));
  }
  result.statistics = network.statistics();
  return result;
}

}  // namespace overture::network::flow
