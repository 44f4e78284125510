#include "overture/report/observed_run.h"

#include <optional>

#include <fmt/format.h>

#include "overture/report/flow_log.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using simulation::SimulationConfig;

constexpr std::uint32_t kMostLooks = 400;  // of 20,000 events each: about a second

struct Watching {
  std::optional<simulation::TrafficCounter> traffic;
  FlowLog flows;
  network::NetworkRecord record;
};

// Every NPU, with traffic and links.
ObservedRun observe_all(const SimulationConfig& config, const simulation::Limits& limits,
                        const network::MonitorConfig& monitor) {
  SimulationConfig all = config;
  if (network::facts_of(config.network).ranks_alike()) all.scope = system::Scope::all;
  return observe_run(
      [&](const simulation::Observers& observers) { return simulation::simulate(all, observers, limits); },
      monitor);
}

}  // namespace

std::string traffic_csv(const simulation::TrafficCounter& traffic) {
  std::string text = "from,to,bytes,kind\n";
  for (const auto& [key, bytes] : traffic.pairs()) {
    const auto& [kind, from, to] = key;
    text += fmt::format("{},{},{},{}\n", index(from), index(to), bytes.count(), kind);
  }
  return text;
}

ObservedRun observe_run(
    const std::function<simulation::SimulationResult(const simulation::Observers&)>& run_with,
    const network::MonitorConfig& monitor) {
  ObservedRun run;
  Watching watching;
  simulation::Observers observers = run.recorder.observers();
  observers.before = [&](const workload::TaskGraph& graph, network::Network& network) {
    watching.traffic.emplace(graph, kMostTrafficRanks);
    network.on_delivery([&](const network::Delivery& delivery) {
      watching.traffic->add(delivery);
      watching.flows.add(delivery);
    });
    if (monitor.samples > 0) network.watch(monitor);
  };
  observers.after = [&](network::Network& network) { watching.record = network.record(); };
  run.result = run_with(observers);
  if (!watching.traffic->pairs().empty()) run.traffic = traffic_csv(*watching.traffic);
  run.counters = watching.record.counters;
  run.flows = watching.flows.csv(run.result.graph);
  run.messages = watching.traffic->messages();
  run.collectives = watching.traffic->collectives();
  if (monitor.samples > 0) run.links = links_record(watching.record, run.result.finished);
  return run;
}

ObservedRun observe(const SimulationConfig& config, bool with_network, const simulation::Limits& limits,
                    const network::MonitorConfig& monitor) {
  const bool alike = network::facts_of(config.network).ranks_alike();
  if (with_network && (!alike || config.tasks)) return observe_all(config, limits, monitor);
  if (with_network && network::count_hosts(config.network) <= kMostTrafficRanks) {
    std::uint32_t looks = 0;
    ObservedRun run =
        observe_all(config,
                    {.until = limits.until,
                     .go_on =
                         [&](Time now, std::uint32_t finished) {
                           return ++looks < kMostLooks && (!limits.go_on || limits.go_on(now, finished));
                         }},
                    monitor);
    if (run.result.complete || looks < kMostLooks) return run;
  }
  ObservedRun run;
  simulation::Observers observers = run.recorder.observers();
  observers.after = [&](network::Network& network) { run.counters = network.record().counters; };
  run.result = simulation::simulate(config, observers, limits);
  return run;
}

}  // namespace overture::report
