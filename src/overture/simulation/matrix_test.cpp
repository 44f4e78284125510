// Any workload on any network: every cell of {ASTRA-sim text, native layers, DLRM, FlexFlow graph, flow list,
// one collective of each kind} x {formula, shared links, flows, TCP, NDP, RoCE, credits, Opera, RotorNet}
// runs to its end, carries the same bytes, computes the same, and is no faster than the wires.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/formats/astra/workload_text.h"
#include "overture/formats/flexflow/flexflow_graph.h"
#include "overture/formats/flow_list.h"
#include "overture/network/run_flows.h"
#include "overture/simulation/simulation.h"
#include "overture/simulation/traffic.h"
#include "overture/workload/dlrm_tasks.h"
#include "overture/workload/dlrm_training.h"

namespace overture::simulation {
namespace {

using namespace literals;
using network::NetworkConfig;
using system::CollectiveKind;

constexpr int kRanks = 16;

struct Named {
  std::string name;
  NetworkConfig network;
  Bandwidth nic;  // what a rank can send, and receive; none where messages never wait for each other
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
  const auto add = [&](std::string name, const NetworkConfig& network, Bandwidth nic = 100_Gbps) {
    all.push_back({std::move(name), network, nic});
  };
  add("formula", formula, Bandwidth{});
  add("links", links);
  add("flow", network::FlowNetworkConfig{.topology = star(), .fluid = {}, .rotors = {}});
  add("tcp", on_packets(star(), {}));
  add("ndp", on_packets(star(), network::packet::ndp()));
  add("roce", on_packets(star(), network::packet::roce()));
  network::packet::PacketConfig credits = network::packet::plain_credits();
  credits.of<network::packet::PlainConfig>().payload = 2_KiB;  // every flit is simulated: fewer of them
  credits.lossless.credits.flit = 1_KiB;
  add("credits", on_packets({.shape = torus}, credits), 400_Gbps);
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
    config.implementation(kind) = {.per_dimension = {{system::kDirect}}};
  return config;
}

struct Seen {
  Bytes sent;
  Bytes busiest;  // sent or received by one rank
  std::vector<Duration> busy;
  Duration compute{};
  Duration finished{};
};

Bytes busiest_rank(const TrafficCounter& traffic) {
  std::vector<Bytes> out(kRanks);
  std::vector<Bytes> in(kRanks);
  for (const auto& [key, bytes] : traffic.pairs()) {
    out[static_cast<std::size_t>(index(std::get<1>(key)))] += bytes;
    in[static_cast<std::size_t>(index(std::get<2>(key)))] += bytes;
  }
  return std::max(std::ranges::max(out), std::ranges::max(in));
}

Seen run(SimulationConfig config, const NetworkConfig& network) {
  config.system = all_by_direct();
  config.network = network;
  config.scope = system::Scope::all;
  std::optional<TrafficCounter> traffic;
  Observers observers;
  observers.before = [&](const workload::TaskGraph& graph, network::Network& carrier) {
    traffic.emplace(graph);
    traffic->watch(carrier);
  };
  const SimulationResult result = simulate(config, observers);
  EXPECT_TRUE(result.complete);
  return {traffic->messages() + traffic->collectives(), busiest_rank(*traffic), result.busy, result.compute(),
          result.finished};
}

SimulationConfig layered(workload::Workload workload) { return {.workload = std::move(workload)}; }

SimulationConfig native_layers() {
  workload::Workload workload{.parallelism = workload::Parallelism::data};
  for (int i = 0; i < 3; ++i) {
    workload::Layer layer{.name = "layer" + std::to_string(i)};
    layer.forward.compute = layer.input_gradient.compute = layer.weight_gradient.compute = 5us;
    layer.weight_gradient.communication = {CollectiveKind::all_reduce, 4_MiB};
    workload.layers.push_back(layer);
  }
  return layered(workload);
}

SimulationConfig astra_text() {
  return layered(formats::parse_astra_workload(
      "HYBRID_DLRM\t1\n3\n"
      "embedding\t-1\t1000\tALLTOALL\t2097152\t1000\tALLTOALL\t2097152\t1000\tNONE\t0\t0\n"
      "bottom\t-1\t2000\tNONE\t0\t2000\tNONE\t0\t2000\tALLREDUCE\t1048576\t100\n"
      "top\t-1\t2000\tNONE\t0\t2000\tNONE\t0\t2000\tALLREDUCE\t4194304\t100\n",
      "matrix.txt"));
}

model::Dlrm small_model() {
  return model::make_dlrm({.name = "small",
                           .tables = 20,
                           .rows = 1000,
                           .columns = 16,
                           .bag = 4,
                           .width = 256,
                           .bottom_layers = 2,
                           .top_layers = 2});
}

// 20 tables on 16 ranks: some have two.
SimulationConfig dlrm_spec() {
  return layered(workload::dlrm_workload({.model = small_model(), .batch = 16384}, kRanks));
}

// Through the file: written and read again.
SimulationConfig flexflow_graph() {
  const workload::DlrmStep step{.model = small_model(), .batch = 16384, .nodes = kRanks};
  const std::string bytes = formats::to_flexflow(dlrm_tasks(step), step.gpus_per_node);
  const auto in_node = [](Bytes size) { return transfer_time(size / 4, 200_Gbps); };
  SimulationConfig config;
  config.tasks =
      std::make_shared<workload::TaskGraph>(formats::parse_flexflow_graph(bytes, "matrix.tg", in_node));
  return config;
}

SimulationConfig one_collective(CollectiveKind kind, Bytes size = 4_MiB) {
  workload::Workload workload{.parallelism = workload::Parallelism::micro};
  workload.layers.push_back({.name = "only"});
  workload.layers[0].weight_gradient.communication = {kind, size};
  return layered(workload);
}

// All bytes once, the same computing on every rank, and no faster than a rank's own link allows. The fluid
// and TCP packets on the same star differ by at most `error`: what docs/reference/flow-backend.md states.
constexpr double kFluidError = 0.10;

void expect_alike(const SimulationConfig& config) {
  const Seen first = run(config, networks()[0].network);
  EXPECT_GT(first.sent, Bytes{});
  std::map<std::string, double> finished;
  for (const Named& named : networks()) {
    const Seen seen = run(config, named.network);
    EXPECT_EQ(seen.sent, first.sent) << named.name;
    EXPECT_EQ(seen.busy, first.busy) << named.name;
    EXPECT_GE(seen.finished, seen.compute) << named.name;
    if (named.nic > Bandwidth{}) {
      EXPECT_GE(seen.finished, transfer_time(seen.busiest, named.nic)) << named.name;
    }
    finished[named.name] = to_us(seen.finished);
  }
  EXPECT_NEAR(finished["flow"] / finished["tcp"], 1, kFluidError);
}

TEST(Matrix, AnAstraSimTextRunsOnEveryNetwork) { expect_alike(astra_text()); }
TEST(Matrix, NativeLayersRunOnEveryNetwork) { expect_alike(native_layers()); }
TEST(Matrix, ADlrmRunsOnEveryNetwork) { expect_alike(dlrm_spec()); }
TEST(Matrix, AFlexFlowGraphRunsOnEveryNetwork) { expect_alike(flexflow_graph()); }

TEST(Matrix, EveryKindOfCollectiveRunsOnEveryNetwork) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::reduce_scatter})
    expect_alike(one_collective(kind));
  expect_alike(one_collective(CollectiveKind::all_gather, 256_KiB));
  // One message after the other: the fluid has no handshakes, so it is not compared.
  for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::barrier}) {
    const Seen first = run(one_collective(kind, 64_KiB), networks()[0].network);
    for (const Named& named : networks())
      EXPECT_EQ(run(one_collective(kind, 64_KiB), named.network).sent, first.sent) << named.name;
  }
}

TEST(Matrix, AFlowListRunsOnEveryNetwork) {
  std::string text = "src,dst,bytes,start_ns\n";
  for (int from = 0; from < kRanks; ++from) {
    for (int step = 1; step < 4; ++step)
      text += fmt::format("{},{},{},{}\n", from, (from + step) % kRanks, 500'000 * step, 100 * step);
  }
  const auto flows = formats::parse_flow_csv(text, "matrix.csv");
  std::map<std::string, double> finished;
  for (const Named& named : networks()) {
    const network::FlowsResult result = network::run_flows(named.network, flows);
    EXPECT_EQ(result.finished, flows.size()) << named.name;
    for (const auto& completion : result.completion) EXPECT_TRUE(completion) << named.name;
    if (named.nic > Bandwidth{}) {
      EXPECT_GE(result.makespan, transfer_time(Bytes{3'000'000}, named.nic)) << named.name;
    }
    finished[named.name] = to_us(result.makespan);
  }
  EXPECT_NEAR(finished["flow"] / finished["tcp"], 1, kFluidError);
}

// A rank passes a chunk on as soon as it has come, while the next one is sent: that needs messages of a pair
// to go in turn. Shared, all chunks of a pair would end together, and each level of the tree would wait for
// the last.
TEST(Matrix, TreesWithManyChunksInFlightTakeAsLongAsFlowsAsOverTcp) {
  SimulationConfig config = one_collective(CollectiveKind::all_reduce, 32_MiB);
  config.scope = system::Scope::all;
  config.system = {.endpoint_delay = 10ns, .active_chunks = 128, .splits = 128};
  config.system.implementation(CollectiveKind::all_reduce) = {.per_dimension = {{system::kDoubleBinaryTree}}};
  const auto finished = [&](const NetworkConfig& network) {
    config.network = network;
    return to_us(simulate(config).finished);
  };
  const double tcp = finished(on_packets(star(), {}));
  const auto fluid = [&](network::ConnectionUse connections) {
    return finished(
        network::FlowNetworkConfig{.topology = star(),
                                   .fluid = {.efficiency = 1448.0 / 1490, .connections = connections},
                                   .rotors = {}});
  };
  EXPECT_NEAR(fluid(network::ConnectionUse::per_pair) / tcp, 1, kFluidError);
  EXPECT_GT(fluid(network::ConnectionUse::per_message) / tcp, 1.5);
  RecordProperty("per_pair", std::to_string(fluid(network::ConnectionUse::per_pair) / tcp));
  RecordProperty("per_message", std::to_string(fluid(network::ConnectionUse::per_message) / tcp));
}

// The root of a tree feeds one child after the other, on flows, too: 4 MiB take 336 us a level.
TEST(Matrix, ABroadcastTakesAsLongAsItsLevelsOnEveryNetworkOfLinks) {
  SimulationConfig config = one_collective(CollectiveKind::broadcast, 4_MiB);
  config.scope = system::Scope::all;
  config.system = {.endpoint_delay = 10ns, .active_chunks = 1, .splits = 1};
  const Duration levels = 4 * transfer_time(4_MiB, 100_Gbps);
  for (const Named& named : networks()) {
    if (named.name != "flow" && named.name != "tcp" && named.name != "ndp" && named.name != "roce") continue;
    config.network = named.network;
    const Duration finished = simulate(config).finished;
    EXPECT_GE(finished, levels) << named.name;
    EXPECT_LE(to_us(finished), 1.10 * to_us(levels)) << named.name;
  }
}

// Dimensions that are declared on a graph: reduce-scatter inside, all-reduce across, all-gather inside.
TEST(Matrix, AHierarchicalAllReduceRunsOnLinksAndRotors) {
  for (const Named& named : networks()) {
    SimulationConfig config = one_collective(CollectiveKind::all_reduce, 64_KiB);
    config.system = all_by_direct();
    config.network = named.network;
    config.dimensions = {4, 4};
    config.system.optimization = system::Optimization::local_bandwidth_aware;
    for (auto& implementation : config.system.implementations)
      if (!implementation.flat) implementation.per_dimension.assign(2, {system::kDirect});
    const SimulationResult result = simulate(config);
    EXPECT_TRUE(result.complete) << named.name;
    // Of 64 KiB three quarters twice inside; of a quarter three quarters twice across.
    ASSERT_EQ(result.sent_by_rank_0.size(), 2U);
    EXPECT_EQ(result.sent_by_rank_0[0], Bytes{2 * 48 * 1024}) << named.name;
    EXPECT_EQ(result.sent_by_rank_0[1], Bytes{2 * 12 * 1024}) << named.name;
  }
}

TEST(Matrix, WhatDoesNotFitIsRefusedBeforeTheRun) {
  SimulationConfig config = native_layers();
  config.system = all_by_direct();
  config.network = networks()[3].network;
  config.dimensions = {4, 5};
  EXPECT_THROW(simulate(config), UserError);
  workload::TaskGraph graph(64);
  sim::EventQueue events;
  const auto network = network::make_network(networks()[3].network, events);
  EXPECT_THROW(play(graph, all_by_direct(), *network, events), UserError);
}

}  // namespace
}  // namespace overture::simulation
