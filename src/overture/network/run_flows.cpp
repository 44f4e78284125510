#include "overture/network/run_flows.h"

#include <algorithm>
#include <iterator>

#include "overture/network/credits.h"
#include "overture/network/named_links.h"
#include "overture/network/packet/run_flows.h"
#include "overture/network/rotor/link_numbers.h"
#include "overture/network/rotor/run_flows.h"

namespace overture::network {
namespace {

using Monitor = std::optional<MonitorConfig>;

FlowsResult play(const NetworkConfig& config, const std::vector<FlowSpec>& flows, const RunLimits& limits,
                 const Monitor& monitor) {
  sim::EventQueue events;
  const auto network = make_network(config, events);
  if (monitor) network->watch(*monitor);
  FlowsResult result{play_flows(*network, events, flows, limits), {}};
  result.record = network->record();
  return result;
}

FlowsResult run(const PacketNetworkConfig& config, const std::vector<FlowSpec>& flows,
                const RunLimits& limits, const Monitor& monitor) {
  if (has_credits(config)) return play(config, flows, limits, monitor);
  const topology::Topology topology = make_topology(config.topology);
  Monitor watched = monitor;
  if (watched) watched = bounded(*watched, topology.graph.links().size());
  packet::PacketRun run = packet::run_flows(topology, config.packets, flows, limits, watched, config.faults);
  FlowsResult result{std::move(run), named_links(topology.graph, NetworkRecord::Detail::packets)};
  for (std::size_t i = 0; i < run.links.size(); ++i) result.record.links[i].total = run.links[i];
  result.record.history = std::move(run.history);
  result.record.delivered = run.statistics.delivered;
  result.record.counters = counters(run.statistics);
  result.record.digest = run.digest;
  result.record.undelivered = std::move(run.undelivered);
  return result;
}

FlowsResult run(const RotorNetworkConfig& config, const std::vector<FlowSpec>& flows, const RunLimits& limits,
                const Monitor& monitor) {
  const topology::Opera opera = make_opera(config.topology);
  rotor::RotorRunOptions options{.limits = limits, .faults = config.faults};
  if (config.paths) options.paths = &*config.paths;
  if (monitor) {
    const auto links = static_cast<std::size_t>(rotor::LinkNumbers(opera).count());
    options.watched_bins = bounded(*monitor, links).samples;
  }
  rotor::RotorRun run = rotor::run_flows(opera, config.rotors, flows, options);
  FlowsResult result{std::move(run), {}};
  if (run.load.bins() > 0) {
    result.record = rotor::named_links(opera, config.rotors.rate);
    run.load.put_into(result.record);
  }
  result.record.delivered = run.statistics.delivered;
  result.record.counters = counters(run.statistics);
  std::ranges::copy(run.faults.counters, std::back_inserter(result.record.counters));
  result.record.undelivered = std::move(run.faults.undelivered);
  result.record.digest = run.digest;
  return result;
}

template <class Config>
FlowsResult run(const Config& config, const std::vector<FlowSpec>& flows, const RunLimits& limits,
                const Monitor& monitor) {
  return play(config, flows, limits, monitor);
}

}  // namespace

FlowsResult run_flows(const NetworkConfig& config, const std::vector<FlowSpec>& flows,
                      const RunLimits& limits, const std::optional<MonitorConfig>& monitor) {
  if (monitor) require_sound(*monitor);
  return std::visit([&](const auto& one) { return run(one, flows, limits, monitor); }, config);
}

}  // namespace overture::network
