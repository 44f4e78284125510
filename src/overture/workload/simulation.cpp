#include "overture/workload/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/analytical/cost.h"
#include "overture/system/fit.h"
#include "overture/system/scope.h"

namespace overture::workload {

Duration SimulationResult::compute() const {
  Duration sum{};
  for (const LayerAccount& layer : layers) {
    for (const PassAccount& pass : layer.passes) sum += pass.compute;
  }
  return sum;
}

std::vector<system::CollectiveKind> collectives_used(const Workload& workload) {
  std::vector<system::CollectiveKind> used;
  for (const Layer& layer : workload.layers) {
    for (const PassKind kind : {PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient}) {
      const auto& communication = pass_of(layer, kind).communication;
      if (communication && std::find(used.begin(), used.end(), communication->kind) == used.end()) {
        used.push_back(communication->kind);
      }
    }
  }
  return used;
}

namespace {

// An all-gather grows with every dimension; the last phase of it must still be countable.
void check_gathers(const Workload& workload, int ranks, const std::string& file) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  for (const Layer& layer : workload.layers) {
    for (const PassKind kind : {PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient}) {
      const auto& communication = pass_of(layer, kind).communication;
      if (!communication || communication->kind != system::CollectiveKind::all_gather) continue;
      if (communication->size.count() <= kMost / ranks) continue;
      throw UserError({.file = file, .key = layer.name}, fmt::format("{} NPUs gather {} each: too large",
                                                                     ranks, to_string(communication->size)));
    }
  }
}

system::System::Setup system_setup(const SimulationConfig& config, const topology::Hierarchy& machine) {
  const bool grouped = config.workload.parallelism == Parallelism::hybrid_transformer ||
                       config.workload.parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd;
  system::System::Setup setup;
  setup.logical = grouped
                      ? system::logical_dimensions(machine, config.workload.model_group, config.workload_file)
                      : system::logical_dimensions(machine);
  const auto used = collectives_used(config.workload);
  setup.config = system::fit(config.system, used, setup.logical, machine, config.system_file);
  for (const system::LogicalDimension& dimension : setup.logical.dimensions) {
    setup.gib_per_s.push_back(
        network::rank_gib_per_s(config.network.dimensions[static_cast<std::size_t>(dimension.physical)]));
  }
  const bool contention = config.network.contention == network::Contention::links;
  const system::Scope exact = system::exact_scope(setup.config, used, setup.logical, machine, contention);
  setup.scope = std::max(exact, config.scope.value_or(exact));
  setup.uniform = exact == system::Scope::rank_0;
  return setup;
}

}  // namespace

SimulationResult simulate(const SimulationConfig& config, const Observers& observers) {
  sim::EventQueue events;
  const topology::Hierarchy machine = network::hierarchy(config.network);
  const auto network = network::make_network(config.network, machine, events);
  return simulate(config, *network, events, observers);
}

SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers) {
  const topology::Hierarchy machine = network::hierarchy(config.network);
  check_gathers(config.workload, machine.ranks(), config.workload_file);
  system::System system(system_setup(config, machine), machine, events, network);
  system.on_chunk(observers.chunk);

  SimulationResult result;
  result.sent_by_rank_0.resize(config.network.dimensions.size());
  system.on_send([&](Rank to, Bytes size) {
    result.sent_by_rank_0[static_cast<std::size_t>(machine.dimension_between(Rank{0}, to))] += size;
  });

  Trainer trainer(config.workload, {.passes = config.passes, .step = config.step}, system, observers.trainer);
  trainer.set_policy(config.system.scheduling);
  trainer.start();
  events.run();
  if (!trainer.finished_at()) {
    throw UserError(
        fmt::format("deadlock at {}: {}", to_string(events.now().time_since_epoch()), trainer.waiting_for()),
        system.stuck());
  }

  result.finished = trainer.finished_at()->time_since_epoch();
  result.layers = trainer.accounts();
  result.dimensions = system.use();
  result.cost_dollars = network::cost_in_dollars(config.network);
  result.ranks = machine.ranks();
  result.scope = system.scope();
  result.events = events.executed();
  return result;
}

}  // namespace overture::workload
