// Any workload on any network: every cell of {training loop, one collective of each kind, task graph with
// messages} x {formula, shared links, flows, TCP, NDP, RoCE, credits, Opera, RotorNet} runs to its end,
// carries the same bytes, and computes the same.
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/simulation/simulation.h"
#include "overture/simulation/traffic.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::simulation {
namespace {

using namespace literals;
using network::NetworkConfig;
using system::AlgorithmKind;
using system::CollectiveKind;

constexpr int kRanks = 16;

struct Named {
  std::string name;
  NetworkConfig network;
};

topology::GraphConfig star() {
  topology::StarConfig config;
  config.hosts = kRanks;
  return {.shape = config};
}

NetworkConfig on_packets(const topology::GraphConfig& graph, const network::packet::PacketConfig& packets) {
  return network::PacketNetworkConfig{.topology = graph, .packets = packets};
}

NetworkConfig on_rotors(const network::rotor::RotorConfig& rotors) {
  return network::RotorNetworkConfig{.topology = topology::OperaConfig{.tors = 4, .ports = 8},
                                     .rotors = rotors};
}

std::vector<Named> networks() {
  const network::AnalyticalConfig formula{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                          .size = kRanks,
                                                          .link_latency_ns = 500,
                                                          .link_gib_per_s = 11.6}},
                                          .contention = network::Contention::none};
  network::AnalyticalConfig links = formula;
  links.contention = network::Contention::links;
  topology::TorusConfig torus;
  torus.sizes = {kRanks};
  std::vector<Named> all;
  const auto add = [&](std::string name, const NetworkConfig& network) {
    all.push_back({std::move(name), network});
  };
  add("formula", formula);
  add("links", links);
  add("flow", network::FlowNetworkConfig{.topology = star(), .fluid = {}, .rotors = {}});
  add("tcp", on_packets(star(), {}));
  add("ndp", on_packets(star(), network::packet::ndp()));
  add("roce", on_packets(star(), network::packet::roce()));
  add("credits", on_packets({.shape = torus}, network::packet::plain_credits()));
  network::rotor::RotorConfig mixed;
  mixed.bulk_from = 20_KiB;
  add("opera", on_rotors(mixed));
  add("rotornet", on_rotors(network::rotor::rotornet()));
  return all;
}

system::SystemConfig all_by_direct() {
  system::SystemConfig config{.endpoint_delay = 10ns, .active_chunks = 4, .splits = 2};
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                    CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
    config.implementation(kind) = {.per_dimension = {{AlgorithmKind::direct}}};
  return config;
}

struct Seen {
  Bytes sent;
  Duration compute{};
  Duration finished{};
};

Seen run(const workload::Workload& workload, const NetworkConfig& network) {
  SimulationConfig config{.workload = workload, .system = all_by_direct(), .network = network};
  config.scope = system::Scope::all;
  std::optional<TrafficCounter> traffic;
  Observers observers;
  observers.before = [&](const workload::TaskGraph& graph, network::Network& carrier) {
    traffic.emplace(graph);
    traffic->watch(carrier);
  };
  const SimulationResult result = simulate(config, observers);
  EXPECT_TRUE(result.complete);
  return {traffic->collectives(), result.compute(), result.finished};
}

workload::Workload training_loop() {
  workload::Workload workload{.parallelism = workload::Parallelism::data};
  for (int i = 0; i < 3; ++i) {
    workload::Layer layer{.name = "layer" + std::to_string(i)};
    layer.forward.compute = layer.input_gradient.compute = layer.weight_gradient.compute = 5us;
    layer.weight_gradient.communication = {CollectiveKind::all_reduce, 64_KiB};
    workload.layers.push_back(layer);
  }
  return workload;
}

workload::Workload one_collective(CollectiveKind kind) {
  workload::Workload workload{.parallelism = workload::Parallelism::micro};
  workload.layers.push_back({.name = "only"});
  workload.layers[0].weight_gradient.communication = {kind, 64_KiB};
  return workload;
}

void expect_alike(const workload::Workload& workload) {
  const Seen first = run(workload, networks()[0].network);
  EXPECT_GT(first.sent, Bytes{});
  for (const Named& named : networks()) {
    const Seen seen = run(workload, named.network);
    EXPECT_EQ(seen.sent, first.sent) << named.name;
    EXPECT_EQ(seen.compute, first.compute) << named.name;
    EXPECT_GT(seen.finished, first.compute) << named.name;
  }
}

TEST(Matrix, ATrainingLoopRunsOnEveryNetwork) { expect_alike(training_loop()); }

TEST(Matrix, EveryKindOfCollectiveRunsOnEveryNetwork) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::all_gather,
        CollectiveKind::reduce_scatter, CollectiveKind::broadcast, CollectiveKind::barrier})
    expect_alike(one_collective(kind));
}

TEST(Matrix, ATaskGraphWithMessagesRunsOnEveryNetwork) {
  workload::DlrmStep step{
      .model = model::make_dlrm(
          {.name = "small", .tables = 20, .columns = 16, .width = 64, .bottom_layers = 2, .top_layers = 2}),
      .batch = 4096,
      .nodes = kRanks};
  const workload::TaskGraph graph = dlrm_tasks(step);
  for (const Named& named : networks()) {
    sim::EventQueue events;
    const auto network = network::make_network(named.network, events);
    TrafficCounter traffic(graph);
    traffic.watch(*network);
    const Timeline timeline = play(graph, dlrm_system(step), *network, events);
    EXPECT_EQ(traffic.messages(), dlrm_traffic(step).messages) << named.name;
    EXPECT_EQ(traffic.collectives(), dlrm_traffic(step).collectives) << named.name;
    EXPECT_GT(timeline.finished, timeline.compute()) << named.name;
  }
}

// Dimensions that are declared on a graph: reduce-scatter inside, all-reduce across, all-gather inside.
TEST(Matrix, AHierarchicalAllReduceRunsOnLinksAndRotors) {
  for (const Named& named : networks()) {
    SimulationConfig config{.workload = one_collective(CollectiveKind::all_reduce),
                            .system = all_by_direct(),
                            .network = named.network};
    config.dimensions = {4, 4};
    config.system.optimization = system::Optimization::local_bandwidth_aware;
    for (auto& implementation : config.system.implementations)
      if (!implementation.flat) implementation.per_dimension.assign(2, {AlgorithmKind::direct});
    const SimulationResult result = simulate(config);
    EXPECT_TRUE(result.complete) << named.name;
    // Of 64 KiB three quarters twice inside; of a quarter three quarters twice across.
    ASSERT_EQ(result.sent_by_rank_0.size(), 2U);
    EXPECT_EQ(result.sent_by_rank_0[0], Bytes{2 * 48 * 1024}) << named.name;
    EXPECT_EQ(result.sent_by_rank_0[1], Bytes{2 * 12 * 1024}) << named.name;
  }
}

TEST(Matrix, WhatDoesNotFitIsRefusedBeforeTheRun) {
  SimulationConfig config{
      .workload = training_loop(), .system = all_by_direct(), .network = networks()[3].network};
  config.dimensions = {4, 5};
  EXPECT_THROW(simulate(config), UserError);
  workload::TaskGraph graph(64);
  sim::EventQueue events;
  const auto network = network::make_network(networks()[3].network, events);
  EXPECT_THROW(play(graph, all_by_direct(), *network, events), UserError);
}

}  // namespace
}  // namespace overture::simulation
