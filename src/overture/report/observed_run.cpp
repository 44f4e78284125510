#include "overture/report/observed_run.h"

#include <optional>

#include <fmt/format.h>

#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using simulation::SimulationConfig;

constexpr std::uint32_t kMostLooks = 400;  // of 20,000 events each: about a second

struct Watching {
  std::optional<simulation::TrafficCounter> traffic;
  network::NetworkRecord record;
};

// Every NPU, with traffic and links.
ObservedRun observe_all(const SimulationConfig& config, const simulation::Limits& limits) {
  ObservedRun run;
  Watching watching;
  simulation::Observers observers = run.recorder.observers();
  observers.before = [&](const workload::TaskGraph& graph, network::Network& network) {
    watching.traffic.emplace(graph, kMostTrafficRanks);
    watching.traffic->watch(network);
    network.watch({});
  };
  observers.after = [&](network::Network& network) { watching.record = network.record(); };
  SimulationConfig all = config;
  all.scope = system::Scope::all;
  run.result = simulation::simulate(all, observers, limits);
  if (!watching.traffic->pairs().empty()) run.traffic = traffic_csv(*watching.traffic);
  run.links = links_record(watching.record, run.result.finished);
  return run;
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

ObservedRun observe(const SimulationConfig& config, bool with_network, const simulation::Limits& limits) {
  const bool formula = std::holds_alternative<network::AnalyticalConfig>(config.network);
  if (with_network && !formula) return observe_all(config, limits);
  if (with_network && network::count_hosts(config.network) <= kMostTrafficRanks) {
    std::uint32_t looks = 0;
    ObservedRun run = observe_all(
        config, {.until = {}, .go_on = [&](Time, std::uint32_t) { return ++looks < kMostLooks; }});
    if (run.result.complete) return run;
  }
  ObservedRun run;
  run.result = simulation::simulate(config, run.recorder.observers(), limits);
  return run;
}

}  // namespace overture::report
