#include "overture/study/collective_bench.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/rotor/rotor_network.h"
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

// All hosts in one dimension. Packets meet, so that no rank stands for another.
CollectivePoint play_on_all(int hosts, const system::SystemConfig& system, CollectiveKind kind, Bytes size,
                            sim::EventQueue& events, network::Network& network) {
  const topology::Hierarchy machine({{topology::DimensionKind::switched, hosts}});
  auto setup = make_setup(system, kind, machine);
  setup.scope = system::Scope::all;
  setup.uniform = false;
  return {size, play(std::move(setup), kind, size, machine, events, network), machine.ranks()};
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

CollectivePoint run_collective(const network::AnalyticalConfig& config, const system::SystemConfig& system,
                               CollectiveKind kind, Bytes size) {
  sim::EventQueue events;
  const topology::Hierarchy machine = network::hierarchy(config);
  const auto network = network::make_network(config, machine, events);
  auto setup = make_setup(system, kind, machine);
  for (std::size_t d = 0; d < config.dimensions.size(); ++d) {
    setup.gib_per_s[d] = network::rank_gib_per_s(config.dimensions[d]);
  }
  const bool contention = config.contention == network::Contention::links;
  setup.scope = system::exact_scope(setup.config, std::array{kind}, setup.logical, machine, contention);
  setup.uniform = setup.scope == system::Scope::rank_0;
  return {size, play(std::move(setup), kind, size, machine, events, *network), machine.ranks()};
}

CollectivePoint run_collective(const std::function<topology::Topology()>& make_topology,
                               const network::packet::PacketConfig& config,
                               const system::SystemConfig& system, CollectiveKind kind, Bytes size) {
  sim::EventQueue events;
  network::packet::PacketNetwork network(make_topology(), config, events);
  return play_on_all(network.graph().hosts(), system, kind, size, events, network);
}

CollectivePoint run_collective(const topology::Opera& opera, const network::rotor::RotorConfig& config,
                               const system::SystemConfig& system, CollectiveKind kind, Bytes size) {
  sim::EventQueue events;
  network::rotor::RotorNetwork network(opera, config, events);
  return play_on_all(opera.hosts(), system, kind, size, events, network);
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
