// For the tests of this folder: machines and systems in round numbers, and random ones of every kind.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "overture/base/random.h"
#include "overture/simulation/simulation.h"

namespace overture::simulation {

using workload::Communication;
using workload::kPassKinds;
using workload::Layer;
using workload::Parallelism;
using workload::Pass;
using workload::PassKind;
using workload::Workload;

constexpr double kBytePerNs = 1e9 / (1 << 30);  // as link_gib_per_s: a byte takes a nanosecond

inline system::Implementation everywhere(system::Algorithm algorithm, std::size_t dimensions) {
  return {.per_dimension = std::vector<system::Algorithm>(dimensions, algorithm)};
}

// Draws small simulations that use every feature in every mixture. The same seed draws the same.
class RandomSimulation {
 public:
  explicit RandomSimulation(std::uint64_t seed) : random_(RandomStreams(seed).make("simulation")) {}

  SimulationConfig draw(network::Contention contention) {
    const network::AnalyticalConfig machine = network(contention);
    return draw(machine, machine);
  }

  // Nodes of GPUs with a NIC each at one switch, over TCP.
  SimulationConfig draw_nodes() {
    using topology::DimensionKind;
    const int gpus = one_of({2, 3, 4, 8});
    const int nodes = number(2, 4);
    const network::AnalyticalConfig machine{.dimensions = {{.kind = DimensionKind::switched, .size = gpus},
                                                           {.kind = DimensionKind::switched, .size = nodes}}};
    topology::StarConfig star;
    star.hosts = nodes * gpus;
    topology::HierarchicalSwitchConfig inside{.gpus_per_node = gpus, .nics_per_node = gpus};
    network::PacketNetworkConfig packets{.topology = {.shape = star, .nodes = inside}, .packets = {}};
    if (chance(30)) packets.packets.queue.port_limit = Bytes{8000};
    return draw(machine, packets);
  }

 private:
  SimulationConfig draw(const network::AnalyticalConfig& machine, const network::NetworkConfig& network) {
    SimulationConfig config;
    config.network = network;
    config.workload = workload(machine);
    config.system = system(machine);
    config.passes = number(1, 3);
    // Whole nanoseconds and those of a byte each make ties; finer ones do not.
    config.step = Nanoseconds{number(0, 1)};
    return config;
  }

  int number(int least, int most) {
    return least + static_cast<int>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[random_.below(values.size())];
  }

  network::AnalyticalConfig network(network::Contention contention) {
    using topology::DimensionKind;
    network::AnalyticalConfig config{.contention = contention};
    const bool round = chance(60);
    const int dimensions = number(1, 3);
    int ranks = 1;
    for (int d = 0; d < dimensions; ++d) {
      network::DimensionConfig dimension;
      dimension.kind = one_of({DimensionKind::ring, DimensionKind::fully_connected, DimensionKind::switched});
      dimension.size = chance(5) ? 1 : one_of({2, 2, 3, 4, 4, 5, 8});
      while (ranks * dimension.size > 48) --dimension.size;
      ranks *= dimension.size;
      dimension.links = dimension.kind == DimensionKind::ring ? 2 * number(1, 2)
                        : dimension.kind == DimensionKind::switched
                            ? number(1, 2)
                            : std::max(1, dimension.size - 1) * number(1, 2);
      dimension.link_latency_ns = round ? one_of({0, 10, 20}) : one_of({1.5, 7.25, 33.0});
      dimension.link_gib_per_s = round ? kBytePerNs * number(1, 2) : 0.3 * number(1, 9);
      dimension.nic_latency_ns = chance(20) ? 5 : 0;
      dimension.router_latency_ns = chance(20) ? 10 : 0;
      if (chance(15)) {
        dimension.memory_scale = 1;
        dimension.memory_latency_ns = 3.3 * number(0, 9);
        dimension.memory_bytes_per_ns = 0.7;
      }
      config.dimensions.push_back(dimension);
    }
    return config;
  }

  system::Algorithm algorithm(system::CollectiveKind kind, int ranks) {
    const bool halves =
        kind != system::CollectiveKind::all_to_all && std::has_single_bit(static_cast<unsigned>(ranks));
    if (halves && chance(25)) return {system::kHalvingDoubling};
    if (halves && chance(15)) return {system::kDoubleBinaryTree};
    if (chance(50)) return {system::kRing};
    return {system::kDirect, number(0, 3)};
  }

  system::Implementation implementation(system::CollectiveKind kind,
                                        const network::AnalyticalConfig& machine) {
    const int ranks = network::hierarchy(machine).ranks();
    if (chance(15)) return {.per_dimension = {algorithm(kind, ranks)}, .flat = true};
    system::Implementation result;
    for (const auto& dimension : machine.dimensions)
      result.per_dimension.push_back(algorithm(kind, dimension.size));
    return result;
  }

  system::SystemConfig system(const network::AnalyticalConfig& machine) {
    using namespace overture::system;
    SystemConfig config;
    config.scheduling = one_of({SchedulingPolicy::lifo, SchedulingPolicy::fifo});
    config.endpoint_delay = Nanoseconds{one_of({0, 5, 10, 10, 13})};
    config.active_chunks = number(1, 4);
    config.splits = number(1, 7);
    config.queues_per_dimension = number(1, 2);
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                            CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
      config.implementation(kind) = implementation(kind, machine);
    }
    config.optimization = one_of({Optimization::baseline, Optimization::local_bandwidth_aware});
    config.intra_order = one_of({IntraOrder::fifo, IntraOrder::rg, IntraOrder::smallest_first,
                                 IntraOrder::less_remaining_phase_first});
    config.inter_order =
        one_of({InterOrder::ascending, InterOrder::round_robin, InterOrder::themis, InterOrder::themis_flex});
    config.rendezvous = chance(25);
    config.tree_always_reduces = true;
    if (machine.dimensions.size() == 1 && chance(30)) share_bus(config);
    config.cycle = one_of<Duration>({Duration{1}, Nanoseconds{1}});
    return config;
  }

  // One chunk at a time: packets of several that leave a rank's bus at the same moment do so rank by rank,
  // and in which order they reach their receivers then does depend on how many ranks are simulated.
  void share_bus(system::SystemConfig& config) {
    config.active_chunks = 1;
    config.queues_per_dimension = 1;
    config.shared_bus = system::SharedBus{.latency = Nanoseconds{number(0, 5)},
                                          .overhead = Nanoseconds{number(0, 5)},
                                          .gap = Nanoseconds{number(0, 5)},
                                          .gap_per_byte_ns = 0.01 * number(0, 5),
                                          .local_reduction = Nanoseconds{1}};
  }

  Pass pass() {
    using system::CollectiveKind;
    Pass pass{.compute = Nanoseconds{chance(50) ? 10 * number(0, 20) : number(0, 200)}};
    if (chance(60)) {
      const auto kind = one_of({CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                CollectiveKind::all_gather, CollectiveKind::reduce_scatter});
      pass.communication = {kind, Bytes{chance(50) ? 240 * number(1, 10) : number(1, 3000)}};
    }
    return pass;
  }

  // A size that ends at a dimension's boundary or divides the dimension in which it ends.
  int model_group(const network::AnalyticalConfig& machine) {
    int group = 1;
    for (const auto& dimension : machine.dimensions) {
      const int inner = number(1, dimension.size);
      if (dimension.size % inner != 0) return group;
      group *= inner;
      if (inner < dimension.size) return group;
    }
    return group;
  }

  Workload workload(const network::AnalyticalConfig& machine) {
    Workload workload;
    workload.parallelism =
        static_cast<Parallelism>(number(0, static_cast<int>(Parallelism::hybrid_customized)));
    const int layers = number(1, 4);
    for (int i = 0; i < layers; ++i) {
      Layer layer{.name = "layer" + std::to_string(i),
                  .forward = pass(),
                  .input_gradient = pass(),
                  .weight_gradient = pass(),
                  .update = Nanoseconds{chance(50) ? 0 : number(1, 30)}};
      layer.parallelism = one_of({Parallelism::data, Parallelism::model, Parallelism::hybrid_data_model,
                                  Parallelism::hybrid_model_data});
      workload.layers.push_back(layer);
    }
    workload.model_group = model_group(machine);
    workload.last_bottom_layer = number(0, layers - 1);
    if (workload.parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd && layers > 1) {
      workload.checkpoints = {0};
      workload.recompute_starts = {number(1, layers - 1)};
    }
    return workload;
  }

  RandomStream random_;
};

}  // namespace overture::simulation
