#include "overture/simulation/garnet_run.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/garnet/garnet_network.h"
#include "overture/network/garnet/uncontended.h"
#include "overture/workload/training_loop.h"

namespace overture::simulation {
namespace {

using network::garnet::GarnetConfig;
using network::garnet::UncontendedNetwork;
using network::garnet::Wiring;
using workload::PassKind;

constexpr Duration kReduction = Nanoseconds{30};
constexpr Duration kStart = Nanoseconds{13};

// Whether the loop ever issues the collective of a pass.
bool issued(const SimulationConfig& config, int layer, PassKind kind,
            const system::LogicalDimensions& logical) {
  const workload::Workload& workload = config.workload;
  if (!workload::pass_of(workload.layers[static_cast<std::size_t>(layer)], kind).communication) return false;
  if (workload.parallelism == workload::Parallelism::micro && layer > 0) return false;
  const system::DimensionMask mask = workload::dimensions_of(workload, layer, kind, logical);
  for (std::size_t d = 0; d < mask.size(); ++d)
    if (mask[d] && logical.dimensions[d].size > 1) return true;
  return false;
}

// Events for the cycle in which they are asked for are lost on ranks whose turn is over: the original then
// ends without a report.
void check_delays(const SimulationConfig& config, const system::LogicalDimensions& logical) {
  if (!config.system.shared_bus && config.system.endpoint_delay == Duration{}) {
    throw UserError({.file = config.system_file, .key = "endpoint-delay"}, "is 0, which Garnet cannot do",
                    "use at least 1");
  }
  const auto layers = static_cast<int>(config.workload.layers.size());
  for (int l = 0; l < layers; ++l) {
    const workload::Layer& layer = config.workload.layers[static_cast<std::size_t>(l)];
    for (const PassKind kind : {PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient}) {
      if (layer.update > Duration{} || !issued(config, l, kind, logical)) continue;
      throw UserError({.file = config.workload_file, .key = layer.name},
                      "has an update delay of 0, which Garnet cannot do", "use at least 1");
    }
  }
}

// A flat algorithm sends everything through the first queue of dimension 0, which leads nowhere else.
void check_flat(const SimulationConfig& config) {
  const auto& dimensions = analytical(config).dimensions;
  const bool one_dimension = dimensions[1].size == 1 && dimensions[2].size == 1;
  if (one_dimension) return;
  for (const workload::Layer& layer : config.workload.layers) {
    for (const PassKind kind : {PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient}) {
      const auto& communication = workload::pass_of(layer, kind).communication;
      if (!communication || !config.system.implementation(communication->kind).flat) continue;
      throw UserError({.file = config.system_file},
                      "an algorithm over all NPUs (one...) sends through the rings inside a package, "
                      "which do not lead to other packages",
                      "name an algorithm for every dimension, such as ring_ring_ring");
    }
  }
}

system::LogicalDimensions whole_dimensions(const SimulationConfig& config,
                                           const topology::Hierarchy& machine) {
  const auto parallelism = config.workload.parallelism;
  if (parallelism != workload::Parallelism::hybrid_transformer &&
      parallelism != workload::Parallelism::hybrid_transformer_fwd_in_bckwd)
    return system::logical_dimensions(machine);
  auto logical = system::logical_dimensions(machine, config.workload.model_group, config.workload_file);
  if (logical.broken >= 0) {
    throw UserError(
        {.file = config.workload_file},
        fmt::format("a model-parallel group of {} NPUs ends inside dimension {}, whose rings Garnet "
                    "cannot split",
                    config.workload.model_group, logical.broken),
        "choose a group that ends where a dimension ends");
  }
  return logical;
}

// The original aborts on a message without a byte.
class WithoutEmptyMessages final : public network::Network {
 public:
  WithoutEmptyMessages(network::Network& network, sim::EventQueue& events)
      : Network(network.ranks(), events), network_(network) {}
  void rank_acts(Rank rank) override { network_.rank_acts(rank); }
  void watch(const network::MonitorConfig& config) override { network_.watch(config); }
  network::NetworkRecord record() override { return network_.record(); }

 private:
  void carry(const network::Message& message, Action delivered) override {
    if (message.size == Bytes{}) {
      throw UserError("a chunk is smaller than its group: NPUs would send each other messages of 0 bytes",
                      "use larger collectives, fewer preferred-dataset-splits or a larger --comm-scale");
    }
    network_.send(message, delivered);
  }

  network::Network& network_;
};

bool any(const Observers& observers) { return observers.chunk || observers.before || observers.after; }

// Nothing where messages compete. Observers hear only of a run that counts.
std::optional<SimulationResult> without_flits(const SimulationConfig& config, const GarnetConfig& garnet,
                                              const Observers& observers) {
  if (!UncontendedNetwork::may_fit(garnet)) return std::nullopt;
  SimulationConfig one = config;
  one.scope = config.scope.value_or(system::Scope::rank_0);
  const auto run = [&](const Observers& listening) {
    sim::EventQueue events;
    UncontendedNetwork network(garnet, events);
    WithoutEmptyMessages checked(network, events);
    return simulate(one, checked, events, listening);
  };
  try {
    auto result = run({});
    return any(observers) ? run(observers) : result;
  } catch (const network::garnet::Contended&) {
    return std::nullopt;
  }
}

GarnetResult with_flits(const SimulationConfig& config, const GarnetConfig& garnet,
                        const Observers& observers) {
  SimulationConfig all = config;
  all.scope = system::Scope::all;
  sim::EventQueue events;
  network::garnet::GarnetNetwork network(garnet, events);
  WithoutEmptyMessages checked(network, events);
  try {
    auto result = simulate(all, checked, events, observers);
    return {std::move(result), network.statistics()};
  } catch (const UserError& error) {
    if (events.pending() > 0 || network.under_way() == 0) throw;
    throw UserError("packets wait for each other round a ring; raise vcs-per-vnet or buffers-per-vc",
                    error.what());
  }
}

}  // namespace

network::AnalyticalConfig analytical_counterpart(const GarnetConfig& garnet) {
  network::AnalyticalConfig analytical{.contention = network::Contention::none};
  for (int d = 0; d < 3; ++d) {
    const auto& link = d == 0 ? garnet.local : garnet.package;
    const bool switched = d == 1 && garnet.wiring == Wiring::switches;
    constexpr double kBitsPerByte = 8;
    analytical.dimensions.push_back(
        {.kind = switched ? topology::DimensionKind::switched : topology::DimensionKind::ring,
         .size = garnet.size[static_cast<std::size_t>(d)],
         .links = std::max(switched ? 1 : 2, network::garnet::vnets_of(garnet, d).count),
         .link_latency_ns = static_cast<double>(link.latency),
         .link_gib_per_s = link.width / kBitsPerByte * 1e9 / (1 << 30)});
  }
  return analytical;
}

void put_on_garnet(SimulationConfig& config, const GarnetConfig& garnet) {
  config.start = kStart;
  config.equal_bandwidth = true;
  config.system.reduction = kReduction;
  for (int d = 0; d < 3; ++d)
    config.system.queues.push_back({.count = network::garnet::vnets_of(garnet, d).count, .one_way = d == 0});
}

GarnetResult simulate_garnet(const SimulationConfig& config, const GarnetConfig& garnet,
                             const Observers& observers) {
  check_flat(config);
  check_delays(config, whole_dimensions(config, system_dimensions(config)));
  if (config.scope != system::Scope::all) {
    if (auto result = without_flits(config, garnet, observers)) return {*std::move(result), std::nullopt};
  }
  return with_flits(config, garnet, observers);
}

}  // namespace overture::simulation
