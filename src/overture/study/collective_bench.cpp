#include "overture/study/collective_bench.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/sim/event_queue.h"
#include "overture/system/fit.h"
#include "overture/system/scope.h"
#include "overture/system/system.h"

namespace overture::study {
namespace {

using system::CollectiveKind;

// Issues the collective at time 0 and runs until every rank has it.
Duration play(system::System::Setup setup, CollectiveKind kind, Bytes size,
              const topology::Hierarchy& machine, sim::EventQueue& events, network::Network& network) {
  system::System system(std::move(setup), machine, events, network);
  std::optional<Time> finished;
  system.on_finished([&](system::CollectiveId, const system::CollectiveStats&) { finished = events.now(); });
  const system::DimensionMask all(static_cast<std::size_t>(system.logical().count()), true);
  const auto issued = system.issue({.kind = kind, .size = size, .dimensions = all});
  if (!issued) return Duration{};  // one rank has nobody to talk to
  events.run();
  if (!finished) throw UserError("the collective never finished", system.stuck());
  return finished->time_since_epoch();
}

system::System::Setup make_setup(const system::SystemConfig& config, CollectiveKind kind,
                                 const topology::Hierarchy& machine) {
  system::System::Setup setup;
  setup.logical = system::logical_dimensions(machine);
  setup.config = system::fit(config, std::array{kind}, setup.logical, machine, "");
  setup.gib_per_s.assign(static_cast<std::size_t>(setup.logical.count()), 1);
  return setup;
}

// What a rank can send into each dimension, where the network says so.
void set_bandwidths(const network::NetworkConfig& config, system::System::Setup& setup) {
  const auto* analytical = std::get_if<network::AnalyticalConfig>(&config);
  if (analytical == nullptr) return;
  for (std::size_t d = 0; d < analytical->dimensions.size(); ++d)
    setup.gib_per_s[d] = network::rank_gib_per_s(analytical->dimensions[d]);
}

// Where packets meet no rank stands for another; the analytical network knows better.
void set_scope(const network::NetworkConfig& config, CollectiveKind kind, const topology::Hierarchy& machine,
               system::System::Setup& setup) {
  setup.scope = system::Scope::all;
  setup.uniform = false;
  if (!std::holds_alternative<network::AnalyticalConfig>(config)) return;
  const bool contention = network::shares_links(config);
  setup.scope = system::exact_scope(setup.config, std::array{kind}, setup.logical, machine, contention);
  setup.uniform = setup.scope == system::Scope::rank_0;
}

}  // namespace

double CollectivePoint::algorithm_bandwidth() const {
  return time == Duration{} ? 0 : static_cast<double>(size.count()) / to_ns(time);
}

// nccl-tests, doc/PERFORMANCE.md: what each rank's link carries, relative to the size.
double CollectivePoint::bus_bandwidth(CollectiveKind kind) const {
  const double n = ranks;
  const double share = (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n;
  return algorithm_bandwidth() * share;
}

CollectivePoint run_collective(const network::NetworkConfig& config, const system::SystemConfig& system,
                               CollectiveKind kind, Bytes size) {
  sim::EventQueue events;
  const auto network = network::make_network(config, events);
  const topology::Hierarchy machine = network::system_dimensions(config, network->ranks());
  auto setup = make_setup(system, kind, machine);
  set_bandwidths(config, setup);
  set_scope(config, kind, machine, setup);
  return {size, play(std::move(setup), kind, size, machine, events, *network), machine.ranks()};
}

std::vector<Bytes> sizes(Bytes first, Bytes last, int factor) {
  if (first <= Bytes{} || last < first) {
    throw UserError(fmt::format("sizes from {} to {} are none", exact(first), exact(last)));
  }
  if (factor < 2) throw UserError("the step factor must be at least 2");
  std::vector<Bytes> result;
  for (Bytes size = first; size <= last; size = size * factor) result.push_back(size);
  return result;
}

}  // namespace overture::study
