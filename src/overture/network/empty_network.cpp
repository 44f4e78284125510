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

Times on_links(const topology::GraphConfig& config, const std::vector<FlowSpec>& flows) {
  const topology::Topology topology = make_topology(config);
  Times times;
  for (const FlowSpec& flow : flows) times.push_back(alone(topology, flow));
  return times;
}

Times on_circuits(Bandwidth rate, Duration wire, const std::vector<FlowSpec>& flows) {
  Times times;
  for (const FlowSpec& flow : flows)
    times.push_back(flow.from == flow.to ? Duration{} : wire + transfer_time(flow.size, rate));
  return times;
}

Times times_of(const AnalyticalConfig&, const std::vector<FlowSpec>&) { return {}; }
Times times_of(const PacketNetworkConfig& config, const std::vector<FlowSpec>& flows) {
  return on_links(config.topology, flows);
}
Times times_of(const RotorNetworkConfig& config, const std::vector<FlowSpec>& flows) {
  return on_circuits(config.rotors.rate, config.rotors.wire, flows);
}
Times times_of(const FlowNetworkConfig& config, const std::vector<FlowSpec>& flows) {
  if (const auto* graph = std::get_if<topology::GraphConfig>(&config.topology))
    return on_links(*graph, flows);
  return on_circuits(config.rotors.rate, config.rotors.wire, flows);
}

}  // namespace

std::vector<Duration> empty_network_times(const NetworkConfig& config, const std::vector<FlowSpec>& flows) {
  return std::visit([&](const auto& one) { return times_of(one, flows); }, config);
}

}  // namespace overture::network
