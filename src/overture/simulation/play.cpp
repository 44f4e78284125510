#include "overture/simulation/play.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/simulation/executor.h"
#include "overture/simulation/hosted_network.h"
#include "overture/system/fit.h"
#include "overture/system/scope.h"

namespace overture::simulation {
namespace {

// Events between two looks at the clock: some milliseconds.
constexpr int kPiece = 20'000;

void run(sim::EventQueue& events, const Executor& executor, const Limits& limits) {
  if (!limits.until && !limits.go_on) return events.run();
  const Time until = limits.until.value_or(Time::max());
  while (!executor.done()) {
    if (limits.go_on && !limits.go_on(events.now(), executor.finished())) return;
    for (int i = 0; i < kPiece; ++i) {
      if (!events.step_until(until)) return;
    }
  }
}

// A dimension that was in use when the run was cut short was so until then.
std::vector<system::DimensionUse> uses_until(Time now, std::span<const system::DimensionUse> uses) {
  std::vector<system::DimensionUse> all(uses.begin(), uses.end());
  for (system::DimensionUse& use : all)
    if (!use.busy.empty()) use.busy.back().to = std::min(use.busy.back().to, now);
  return all;
}

// Why a run ends before its tasks do, if a fault is the reason; else empty.
std::string stuck_by_faults(const Executor& executor, network::Network& network) {
  if (!executor.died().empty()) return executor.died();
  const std::vector<std::string> lost = network.record().undelivered;
  if (lost.empty()) return "";
  const std::string others = lost.size() == 1 ? "" : fmt::format(" (and {} more)", lost.size() - 1);
  return fmt::format("{}; not delivered: {}{}", executor.waiting_for(), lost.front(), others);
}

// The cores of the machine whose processes the ranks are, if they are.
class SharedMachine {
 public:
  SharedMachine(const workload::TaskGraph& graph, network::Network& network, sim::EventQueue& events)
      : network_(network) {
    const workload::SharedHost& host = graph.host();
    if (host.cores == 0) return;
    cores_.emplace(host.cores, HostedNetwork::threads(network.ranks()), events);
    if (!host.carries_for_free()) hosted_.emplace(host, network, *cores_, events);
  }

  network::Network& network() { return hosted_ ? *hosted_ : network_; }
  CorePool* cores() { return cores_ ? &*cores_ : nullptr; }

 private:
  network::Network& network_;
  std::optional<CorePool> cores_;
  std::optional<HostedNetwork> hosted_;
};

// Does the first machine's group of dimension 0 stand for all?
bool first_machine_tells(const workload::TaskGraph& graph, const system::SystemConfig& config,
                         const SystemView& machine, const network::Network& network) {
  if (machine.every_rank || machine.scope != system::Scope::all || !graph.symbolic()) return false;
  const system::LogicalDimension& inside = machine.logical.dimensions.front();
  if (inside.stride != 1 || inside.size != network.ranks_of_machine()) return false;
  const auto has_sizes = [](const workload::CollectiveTask& task) { return task.sizes != nullptr; };
  return named_group_sizes(graph, network.ranks()).empty() &&
         std::ranges::none_of(graph.collectives(), has_sizes) &&
         system::machines_alike(config, workload::collectives_used(graph), network.ranks());
}

}  // namespace

SystemView one_dimension(int ranks) {
  topology::Hierarchy dimensions({{topology::DimensionKind::switched, ranks}});
  system::LogicalDimensions logical = system::logical_dimensions(dimensions);
  return {.dimensions = std::move(dimensions), .logical = std::move(logical), .gib_per_s = {1}};
}

std::vector<int> named_group_sizes(const workload::TaskGraph& graph, int ranks) {
  std::vector<int> sizes;
  for (const auto& group : graph.groups()) {
    if (!group.ranks.empty()) sizes.push_back(static_cast<int>(group.ranks.size()));
    if (group.everyone() && graph.ranks() != ranks) sizes.push_back(graph.ranks());
  }
  return sizes;
}

Timeline play(const workload::TaskGraph& graph, const system::SystemConfig& config, const SystemView& machine,
              network::Network& network, sim::EventQueue& events, const Observers& observers,
              const Limits& limits) {
  SharedMachine shared(graph, network, events);
  const bool first_machine = first_machine_tells(graph, config, machine, shared.network());
  system::System system({.config = config,
                         .logical = machine.logical,
                         .gib_per_s = machine.gib_per_s,
                         .scope = machine.scope,
                         .uniform = machine.uniform,
                         .first_machine = first_machine},
                        machine.dimensions, events, shared.network());
  system.on_chunk(observers.chunk);
  if (observers.before) observers.before(graph, network);
  std::vector<Bytes> sent(static_cast<std::size_t>(machine.dimensions.dimensions()));
  std::vector<std::int64_t> messages(sent.size());
  system.on_send([&](Rank to, Bytes size) {
    const auto d = static_cast<std::size_t>(machine.dimensions.dimension_between(Rank{0}, to));
    sent[d] += size;
    ++messages[d];
  });
  Executor executor(graph, system, shared.network(), machine.stragglers, shared.cores());
  if (machine.start == Duration{}) {
    executor.start();
  } else {
    events.at(Time{machine.start}, [&executor] { executor.start(); });
  }
  run(events, executor, limits);
  const bool cut_short = !executor.done() && events.pending() > 0;
  const std::string stuck = executor.done() || cut_short ? "" : stuck_by_faults(executor, network);
  if (!executor.done() && !cut_short && stuck.empty()) {
    throw UserError(
        fmt::format("deadlock at {}: {}", to_string(events.now().time_since_epoch()), executor.waiting_for()),
        system.stuck());
  }
  if (observers.after) observers.after(network);
  Timeline timeline = executor.take();
  timeline.complete = executor.done();
  timeline.stuck = stuck;
  if (!timeline.complete) timeline.finished = events.now().time_since_epoch();
  timeline.dimensions = uses_until(events.now(), system.use());
  timeline.sent_by_rank_0 = std::move(sent);
  timeline.messages_by_rank_0 = std::move(messages);
  timeline.ranks = graph.ranks();
  timeline.scope = machine.scope;
  timeline.first_machine = first_machine;
  timeline.events = events.executed();
  return timeline;
}

Timeline play(const workload::TaskGraph& graph, const system::SystemConfig& config, network::Network& network,
              sim::EventQueue& events) {
  if (graph.ranks() > network.ranks())
    throw UserError(
        fmt::format("a workload of {} ranks does not fit a network of {}", graph.ranks(), network.ranks()),
        "choose a larger network");
  const SystemView machine = one_dimension(network.ranks());
  const system::SystemConfig fitted =
      system::fit(config, workload::collectives_used(graph), machine.logical, machine.dimensions, "",
                  named_group_sizes(graph, network.ranks()));
  return play(graph, fitted, machine, network, events);
}

}  // namespace overture::simulation
