// For the tests of this folder: one phase alone on a machine in round numbers.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "overture/network/analytical/config.h"
#include "overture/system/phase_run.h"

namespace overture::system {

// A message of m bytes takes 10 + m ns between any two ranks that differ in one dimension: full meshes
// without contention.
inline network::AnalyticalConfig meshes(const std::vector<int>& sizes) {
  network::AnalyticalConfig config{.contention = network::Contention::none};
  for (const int size : sizes) {
    config.dimensions.push_back({.kind = topology::DimensionKind::fully_connected,
                                 .size = size,
                                 .links = size - 1,
                                 .link_latency_ns = 10,
                                 .link_gib_per_s = 1e9 / (1 << 30)});
  }
  return config;
}

// What a phase played alone shows to the outside.
struct PhaseOutcome {
  Duration duration{};
  std::int64_t messages = 0;  // that rank 0 received
  Duration waited{};
  Bytes sent;  // by rank 0

  friend bool operator==(const PhaseOutcome&, const PhaseOutcome&) = default;
};

inline PhaseOutcome play(const network::AnalyticalConfig& machine_config, const SystemConfig& config,
                         const Phase& phase, Scope scope) {
  sim::EventQueue events;
  const topology::Hierarchy machine = network::hierarchy(machine_config);
  const auto network = network::make_network(machine_config, machine, events);
  CycleClock clock(events, config.cycle);
  std::map<Rank, std::unique_ptr<Endpoint>> endpoints;
  PhaseOutcome outcome;
  PhaseContext context{.events = events,
                       .clock = clock,
                       .network = *network,
                       .scope = scope,
                       .rendezvous = config.rendezvous,
                       .all_ranks = machine.ranks(),
                       .uniform = true,
                       .endpoint = [&](Rank rank) -> Endpoint& {
                         auto& endpoint = endpoints[rank];
                         if (!endpoint) endpoint = make_endpoint(config, clock);
                         return *endpoint;
                       },
                       .sent = [&](Rank, Bytes size) { outcome.sent += size; }};
  bool finished = false;
  const auto run = PhaseRun::make(context, phase, [&] {
    finished = true;
    outcome.duration = events.now().time_since_epoch();
  });
  run->start();
  events.run();
  if (!finished) outcome.duration = Duration::max();
  outcome.messages = run->messages();
  outcome.waited = run->waited();
  return outcome;
}

}  // namespace overture::system
