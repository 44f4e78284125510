#include "overture/network/empty_network.h"

#include <algorithm>
#include <limits>

namespace overture::network {
namespace {

using Times = std::vector<Duration>;

Duration alone(const topology::Topology& topology, const FlowSpec& flow) {
  if (flow.from == flow.to) return {};
  Duration delays{};
  Bandwidth slowest = Bandwidth::bits_per_second(std::numeric_limits<std::int64_t>::max());
  for (const int link : path(topology, index(flow.from), index(flow.to), topology::Pick::by_destination())) {
    const topology::Wire& wire = topology.graph.links()[static_cast<std::size_t>(link)].wire;
    delays += wire.delay;
    slowest = std::min(slowest, wire.rate);
  }
  return delays + transfer_time(flow.size, slowest);
}

Times times_of(const AnalyticalConfig&, const std::vector<FlowSpec>&) { return {}; }
Times times_of(const topology::GraphConfig& config, const std::vector<FlowSpec>& flows) {
  const topology::Topology topology = make_topology(config);
  Times times;
  for (const FlowSpec& flow : flows) times.push_back(alone(topology, flow));
  return times;
}
Times times_of(const RotorWires& rotors, const std::vector<FlowSpec>& flows) {
  Times times;
  for (const FlowSpec& flow : flows)
    times.push_back(flow.from == flow.to ? Duration{} : rotors.wire + transfer_time(flow.size, rotors.rate));
  return times;
}

}  // namespace

std::vector<Duration> empty_network_times(const NetworkConfig& config, const std::vector<FlowSpec>& flows) {
  return std::visit([&](const auto& kind) { return times_of(kind, flows); }, wires_of(config).kind);
}

}  // namespace overture::network
