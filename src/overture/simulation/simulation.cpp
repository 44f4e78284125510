#include "overture/simulation/simulation.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/memory.h"
#include "overture/system/fit.h"
#include "overture/system/scope.h"
#include "overture/system/under_way.h"
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
  SystemView machine;
  system::SystemConfig system;
  workload::TaskGraph graph;
};

// What a rank can send into each dimension, where the network says so.
std::vector<double> bandwidths(const SimulationConfig& config, const system::LogicalDimensions& logical) {
  std::vector<double> gib_per_s(static_cast<std::size_t>(logical.count()), 1);
  const std::vector<double> of_rank = network::facts_of(config.network).gib_per_s;
  const bool known = !of_rank.empty() && config.dimensions.empty() && !config.equal_bandwidth;
  for (std::size_t d = 0; known && d < gib_per_s.size(); ++d) {
    gib_per_s[d] = of_rank[static_cast<std::size_t>(logical.dimensions[d].physical)];
  }
  return gib_per_s;
}

// Where packets meet no rank stands for another.
void choose_scope(const SimulationConfig& config, const std::vector<system::CollectiveKind>& used,
                  Prepared& prepared) {
  SystemView& machine = prepared.machine;
  const network::NetworkFacts facts = network::facts_of(config.network);
  if (!facts.ranks_alike() || !config.dimensions.empty() || !prepared.graph.symbolic()) return;
  const system::Scope exact =
      system::exact_scope(prepared.system, used, machine.logical, machine.dimensions, facts.shares_links);
  machine.scope = std::max(exact, config.scope.value_or(exact));
  machine.uniform = exact == system::Scope::rank_0;
}

workload::TaskGraph graph_of(const SimulationConfig& config, int ranks,
                             const system::LogicalDimensions& logical) {
  if (!config.tasks) {
    return workload::training_graph(
        config.workload, {.passes = config.passes, .step = config.step, .policy = config.system.scheduling},
        ranks, logical);
  }
  if (config.tasks->ranks() > ranks) {
    throw UserError({.file = config.workload_file},
                    fmt::format("has {} ranks, but the network has {} hosts", config.tasks->ranks(), ranks),
                    "choose a larger network");
  }
  return *config.tasks;
}

// Ranks beyond the graph's have nothing to compute, but may be named.
Stragglers stragglers_of(const SimulationConfig& config, int ranks) {
  return config.faults.nodes.empty() ? Stragglers() : Stragglers(config.faults, ranks);
}

Prepared prepare(const SimulationConfig& config) {
  topology::Hierarchy dimensions = system_dimensions(config);
  system::LogicalDimensions logical = logical_dimensions(config, dimensions);
  workload::TaskGraph graph = graph_of(config, dimensions.ranks(), logical);
  check_gathers(graph, config.workload_file);
  const auto used = workload::collectives_used(graph);
  system::SystemConfig fitted = system::fit(config.system, used, logical, dimensions, config.system_file,
                                            named_group_sizes(graph, dimensions.ranks()));
  std::vector<double> gib_per_s = bandwidths(config, logical);
  const int ranks = dimensions.ranks();
  Prepared prepared{.machine = {.dimensions = std::move(dimensions),
                                .logical = std::move(logical),
                                .gib_per_s = std::move(gib_per_s),
                                .every_rank = config.scope == system::Scope::all,
                                .start = config.start,
                                .stragglers = stragglers_of(config, ranks)},
                    .system = std::move(fitted),
                    .graph = std::move(graph)};
  choose_scope(config, used, prepared);
  return prepared;
}

// What a message under way takes at least, whatever carries it: its events, its record, and what the endpoint
// and the network know of it. Measured: 240 bytes on the analytical network, more on the others.
constexpr Bytes kMessageMemory{200};

// Refuses what would have more messages under way than fit into memory, before it begins.
void require_memory(const SimulationConfig& config, const Prepared& prepared) {
  const Bytes limit = memory_limit();
  const SystemView& machine = prepared.machine;
  const bool whole_exchanges = network::facts_of(config.network).whole_exchanges;
  const system::UnderWay most =
      system::most_under_way(prepared.system, workload::collectives_used(prepared.graph), machine.logical,
                             machine.dimensions, machine.scope, whole_exchanges);
  if (most.messages <= limit.count() / kMessageMemory.count()) return;
  const double bytes = static_cast<double>(most.messages) * static_cast<double>(kMessageMemory.count());
  throw UserError({.file = config.system_file, .key = fmt::format("system.{}", name(most.kind))},
                  fmt::format("{} among {} ranks has {:.3g} messages under way at once, which takes at least "
                              "{:.3g} GB; this run may use {:.3g} GB",
                              name(most.algorithm), most.ranks, static_cast<double>(most.messages),
                              bytes / 1e9, static_cast<double>(limit.count()) / 1e9),
                  "use ring, halving_doubling or direct:<window>, fewer ranks, or --max-memory");
}

SimulationResult run(const SimulationConfig& config, Prepared prepared, network::Network& network,
                     sim::EventQueue& events, const Observers& observers, const Limits& limits) {
  SimulationResult result;
  static_cast<Timeline&>(result) =
      play(prepared.graph, prepared.system, prepared.machine, network, events, observers, limits);
  if (result.complete && !config.tasks) result.layers = layer_accounts(prepared.graph, result);
  result.layers.resize(config.workload.layers.size());
  result.graph = std::move(prepared.graph);
  return result;
}

}  // namespace

const network::AnalyticalConfig& analytical(const SimulationConfig& config) {
  return std::get<network::AnalyticalConfig>(config.network);
}
network::AnalyticalConfig& analytical(SimulationConfig& config) {
  return std::get<network::AnalyticalConfig>(config.network);
}

topology::Hierarchy system_dimensions(const SimulationConfig& config) {
  const int ranks = network::count_hosts(config.network);
  if (config.dimensions.empty()) return network::system_dimensions(config.network, ranks);
  std::vector<topology::Hierarchy::Dimension> dimensions;
  std::int64_t product = 1;
  for (const int size : config.dimensions) {
    dimensions.push_back({topology::DimensionKind::switched, size});
    product *= std::max(size, 0);
    if (product > ranks) break;
  }
  if (product != ranks)
    throw UserError({.file = config.system_file, .key = "system.dimensions"},
                    fmt::format("{} do not multiply to the {} ranks of the network",
                                fmt::join(config.dimensions, " x "), ranks),
                    "name the ranks of a node, then the nodes, ..., innermost first");
  return topology::Hierarchy(std::move(dimensions));
}

workload::TaskGraph task_graph(const SimulationConfig& config) {
  const topology::Hierarchy dimensions = system_dimensions(config);
  return graph_of(config, dimensions.ranks(), logical_dimensions(config, dimensions));
}

namespace {

std::unique_ptr<network::Network> network_of(const SimulationConfig& config, sim::EventQueue& events) {
  try {
    return network::make_network(config.network, events);
  } catch (const UserError& error) {
    throw at({.file = config.system_file}, error);
  }
}

}  // namespace

SimulationResult simulate(const SimulationConfig& config, const Observers& observers, const Limits& limits) {
  sim::EventQueue events;
  Prepared prepared = prepare(config);
  require_memory(config, prepared);
  const auto network = network_of(config, events);
  return run(config, std::move(prepared), *network, events, observers, limits);
}

SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers) {
  Prepared prepared = prepare(config);
  if (!config.scope) {
    prepared.machine.scope = system::Scope::all;
    prepared.machine.uniform = false;
  }
  return run(config, std::move(prepared), network, events, observers, {});
}

}  // namespace overture::simulation
