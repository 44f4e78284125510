#include "overture/simulation/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/analytical/cost.h"
#include "overture/system/fit.h"
#include "overture/system/scope.h"
#include "overture/workload/training_loop.h"

namespace overture::simulation {
namespace {

using workload::Parallelism;

// An all-gather grows with every dimension; the last phase of it must still be countable.
void check_gathers(const workload::TaskGraph& graph, const std::string& file) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const workload::TaskId id{i};
    if (graph.kind(id) != workload::TaskKind::collective) continue;
    const workload::CollectiveTask& task = graph.collective(id);
    if (task.kind != system::CollectiveKind::all_gather || task.size.count() <= kMost / graph.ranks())
      continue;
    throw UserError({.file = file, .key = graph.labels()[static_cast<std::size_t>(graph.label(id))].layer},
                    fmt::format("{} NPUs gather {} each: too large", graph.ranks(), to_string(task.size)));
  }
}

system::LogicalDimensions logical_dimensions(const SimulationConfig& config,
                                             const topology::Hierarchy& machine) {
  const bool grouped = config.workload.parallelism == Parallelism::hybrid_transformer ||
                       config.workload.parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd;
  return grouped ? system::logical_dimensions(machine, config.workload.model_group, config.workload_file)
                 : system::logical_dimensions(machine);
}

// A run that is ready but for its network.
struct Prepared {
  Machine machine;
  system::SystemConfig system;
  workload::TaskGraph graph;
  system::Scope exact;  // the smallest scope on the analytical network
};

Prepared prepare(const SimulationConfig& config) {
  topology::Hierarchy dimensions = network::hierarchy(config.network);
  system::LogicalDimensions logical = logical_dimensions(config, dimensions);
  workload::TaskGraph graph = workload::training_graph(
      config.workload, {.passes = config.passes, .step = config.step, .policy = config.system.scheduling},
      dimensions.ranks(), logical);
  check_gathers(graph, config.workload_file);
  const auto used = workload::collectives_used(graph);
  const bool contention = config.network.contention == network::Contention::links;
  system::SystemConfig fitted = system::fit(config.system, used, logical, dimensions, config.system_file);
  std::vector<double> gib_per_s;
  for (const system::LogicalDimension& dimension : logical.dimensions)
    gib_per_s.push_back(
        network::rank_gib_per_s(config.network.dimensions[static_cast<std::size_t>(dimension.physical)]));
  const system::Scope exact = system::exact_scope(fitted, used, logical, dimensions, contention);
  return {
      .machine = {.dimensions = std::move(dimensions), .logical = std::move(logical), .gib_per_s = gib_per_s},
      .system = std::move(fitted),
      .graph = std::move(graph),
      .exact = exact};
}

SimulationResult run(const SimulationConfig& config, Prepared prepared, network::Network& network,
                     sim::EventQueue& events, const Observers& observers, const Limits& limits) {
  SimulationResult result;
  static_cast<Timeline&>(result) =
      play(prepared.graph, prepared.system, prepared.machine, network, events, observers, limits);
  if (result.complete) result.layers = layer_accounts(prepared.graph, result);
  result.layers.resize(config.workload.layers.size());
  result.cost_dollars = network::cost_in_dollars(config.network);
  result.graph = std::move(prepared.graph);
  return result;
}

}  // namespace

SimulationResult simulate(const SimulationConfig& config, const Observers& observers, const Limits& limits) {
  sim::EventQueue events;
  Prepared prepared = prepare(config);
  prepared.machine.scope = std::max(prepared.exact, config.scope.value_or(prepared.exact));
  prepared.machine.uniform = prepared.exact == system::Scope::rank_0;
  const auto network = network::make_network(config.network, prepared.machine.dimensions, events);
  return run(config, std::move(prepared), *network, events, observers, limits);
}

SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers) {
  return run(config, prepare(config), network, events, observers, {});
}

}  // namespace overture::simulation
