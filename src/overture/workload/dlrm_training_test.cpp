#include "overture/workload/dlrm_training.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/simulation/simulation.h"

namespace overture::workload {
namespace {

using namespace literals;
using model::DenseLayer;
using model::Interaction;
using model::NumberType;
using system::CollectiveKind;

// The DLRM of ASTRA-sim + NS3 (HOTI 2020), as examples/hoti20-dlrm.yaml has it.
DlrmTraining hoti(Interaction interaction) {
  DlrmTraining training{.batch = 65536, .sharding = TableSharding::column_wise};
  model::Dlrm& model = training.model;
  model = {.name = "hoti", .interaction = interaction, .weights = NumberType::fp16};
  model.gradients = NumberType::fp16;
  model.biases = false;
  model.bottom = {{1600, 1024}, {1024, 1024}, {1024, 1024}, {1024, 1024},
                  {1024, 1024}, {1024, 1024}, {1024, 64}};
  model.tables.assign(64, {.rows = 1'000'000, .columns = 64, .bag = 60, .number = NumberType::fp16});
  model.top.assign(12, {2048, 2048});
  model.top.front().inputs = model.interacted();
  model.top.back().outputs = 1;
  training.compute.by = model::ProductsAndMemory{
      .products = compute::Roofline{.peak = compute::FlopRate::per_second(60'000'000'000'000), .memory = {}},
      .memory = Bandwidth::bits_per_second(900'000'000'000 * 8)};
  training.compute.table_backward = 0;
  return training;
}

DlrmTraining small(int tables) {
  DlrmTraining training{.batch = 4096};
  training.model = model::make_dlrm({.name = "small",
                                     .tables = tables,
                                     .rows = 1000,
                                     .columns = 16,
                                     .width = 64,
                                     .bottom_layers = 2,
                                     .top_layers = 2});
  return training;
}

TEST(DlrmTraining, HasTheLayersOfTheHotiStudy) {
  const std::filesystem::path path = std::filesystem::path(OVERTURE_GOLDEN) / "hoti-tcp/dlrm_layers.csv";
  const CsvTable golden = parse_csv(read_file(path), path.string(), "");
  std::map<std::string, Workload> made{{"dot", dlrm_workload(hoti(Interaction::dot), 128)},
                                       {"cat", dlrm_workload(hoti(Interaction::cat), 128)}};
  ASSERT_EQ(golden.rows.size(), 38U);
  for (const CsvRow& row : golden.rows) {
    const auto& layers = made.at(row.cells[0]).layers;
    const auto layer = std::ranges::find(layers, row.cells[2], &Layer::name);
    ASSERT_NE(layer, layers.end()) << row.cells[2];
    EXPECT_NEAR(to_us(layer->forward.compute), std::stod(row.cells[7]), 0.001);
    EXPECT_NEAR(to_us(layer->input_gradient.compute), std::stod(row.cells[8]), 0.001);
    EXPECT_NEAR(to_us(layer->weight_gradient.compute), std::stod(row.cells[9]), 0.001);
    ASSERT_TRUE(layer->weight_gradient.communication);
    EXPECT_EQ(layer->weight_gradient.communication->size, Bytes{std::stoll(row.cells[10])});
  }
}

TEST(DlrmTraining, ExchangesThePooledRowsOfTheHotiStudy) {
  const Workload workload = dlrm_workload(hoti(Interaction::dot), 128);
  const Layer& tables = workload.layers.front();
  ASSERT_TRUE(tables.forward.communication && tables.input_gradient.communication);
  EXPECT_EQ(tables.forward.communication->kind, CollectiveKind::all_to_all);
  EXPECT_EQ(tables.forward.communication->size, Bytes{4'194'304});
  EXPECT_EQ(tables.input_gradient.communication->size, Bytes{4'194'304});
  EXPECT_NEAR(to_us(tables.forward.compute), 279.6, 0.05);
  EXPECT_NEAR(to_us(workload.layers[8].forward.compute), 4.6, 0.05);
  EXPECT_EQ(workload.layers[8].name, "Interaction");
}

TEST(DlrmTraining, TablesThatDivideAreExchangedEqually) {
  const Workload workload = dlrm_workload(small(32), 16);
  const auto& exchange = *workload.layers.front().forward.communication;
  EXPECT_FALSE(exchange.sizes);
  // 256 samples of two tables of 16 fp32 numbers to each of 16.
  EXPECT_EQ(exchange.size, Bytes{256 * 2 * 16 * 4 * 16});
}

TEST(DlrmTraining, TablesThatDoNotDivideHaveSizesPerPair) {
  const Workload workload = dlrm_workload(small(20), 16);
  const auto& out = *workload.layers.front().forward.communication->sizes;
  const auto& back = *workload.layers.front().input_gradient.communication->sizes;
  EXPECT_EQ(out.at(0, 5), Bytes{256 * 2 * 16 * 4});
  EXPECT_EQ(out.at(5, 0), Bytes{256 * 16 * 4});
  EXPECT_EQ(out.at(3, 3), Bytes{});
  EXPECT_EQ(back.at(5, 0), out.at(0, 5));
}

TEST(DlrmTraining, EveryShardingMovesWhatItMust) {
  DlrmTraining training = small(32);
  const Bytes own{256 * 32 * 16 * 4};  // pooled rows of a rank's own samples
  training.sharding = TableSharding::column_wise;
  EXPECT_EQ(dlrm_workload(training, 16).layers[0].forward.communication->size, own);
  training.sharding = TableSharding::row_wise;
  const Layer row_wise = dlrm_workload(training, 16).layers[0];
  EXPECT_EQ(row_wise.forward.communication->kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(row_wise.forward.communication->size, own * 16);
  EXPECT_EQ(row_wise.input_gradient.communication->kind, CollectiveKind::all_gather);
  EXPECT_EQ(row_wise.input_gradient.communication->size, own);
  training.sharding = TableSharding::data_parallel;
  const Layer all = dlrm_workload(training, 16).layers[0];
  EXPECT_FALSE(all.forward.communication);
  EXPECT_EQ(all.weight_gradient.communication->size, Bytes{32 * 1000 * 16 * 4});
}

TEST(DlrmTraining, ShardedLayersAreGatheredTwiceAndReducedOnce) {
  DlrmTraining training = small(32);
  training.dense = DenseParallelism::sharded;
  const Workload workload = dlrm_workload(training, 16);
  const Layer& layer = workload.layers[1];
  const Bytes weights = training.model.weights_of(training.model.bottom[0]);
  EXPECT_EQ(layer.forward.communication->size, weights / 16);
  EXPECT_EQ(layer.input_gradient.communication->size, weights / 16);
  EXPECT_EQ(layer.weight_gradient.communication->kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(layer.weight_gradient.communication->size, weights);
}

simulation::SimulationConfig on_a_switch(const Workload& workload, int ranks) {
  simulation::SimulationConfig config{.workload = workload};
  config.network = network::AnalyticalConfig{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                             .size = ranks,
                                                             .link_latency_ns = 500,
                                                             .link_gib_per_s = 11.6}}};
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                    CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
    config.system.implementation(kind) = {.per_dimension = {{system::kRing}}};
  config.system.implementation(CollectiveKind::all_to_all) = {.per_dimension = {{system::kDirect}}};
  config.passes = 2;
  return config;
}

TEST(DlrmTraining, TheLoopIsThatOfAstraSimWhereTablesCostNothingToUpdate) {
  DlrmTraining training = small(32);
  training.compute.table_backward = 0;
  const Workload ours = dlrm_workload(training, 16);
  const auto a = simulation::simulate(on_a_switch(ours, 16));
  const auto b = simulation::simulate(on_a_switch(astra_form(ours), 16));
  EXPECT_EQ(a.finished, b.finished);
  EXPECT_EQ(a.compute(), b.compute());
}

// What is waited for is waited for: no pass of a sharded layer runs before its weights are there.
TEST(DlrmTraining, ShardingTheDensePartTakesLonger) {
  DlrmTraining training = small(32);
  const auto whole = simulation::simulate(on_a_switch(dlrm_workload(training, 16), 16));
  training.dense = DenseParallelism::sharded;
  const auto sharded = simulation::simulate(on_a_switch(dlrm_workload(training, 16), 16));
  EXPECT_TRUE(sharded.complete);
  EXPECT_EQ(sharded.compute(), whole.compute());
  EXPECT_GT(sharded.finished, whole.finished);
}

TEST(DlrmTraining, UnevenTablesRunOnAllRanks) {
  const auto result = simulation::simulate(on_a_switch(dlrm_workload(small(20), 16), 16));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.scope, system::Scope::all);
  ASSERT_EQ(result.busy.size(), 16U);
  EXPECT_EQ(result.busy[0], result.busy[15]);
}

TEST(DlrmTraining, RefusesWhatDoesNotFit) {
  DlrmTraining training = small(32);
  training.batch = 10;
  EXPECT_THROW(dlrm_workload(training, 16), UserError);
  training = small(32);
  training.memory_per_gpu = 100_KiB;
  EXPECT_THROW(dlrm_workload(training, 16), UserError);
  training.sharding = TableSharding::row_wise;
  EXPECT_THROW(dlrm_workload(training, 16), UserError);
  training = small(32);
  training.given.assign(32, 16);
  EXPECT_THROW(dlrm_workload(training, 16), UserError);
  training = small(20);
  training.batch = 1 << 20;
  EXPECT_THROW(dlrm_workload(training, 8192), UserError);
  EXPECT_THROW(astra_form(dlrm_workload(training, 16)), UserError);
}

// One less is refused.
TEST(DlrmTraining, WhatJustFitsIsMade) {
  DlrmTraining training = small(1);
  training.batch = 16 * 4;
  training.gpus_per_node = 4;
  training.sharding = TableSharding::column_wise;  // of 16 columns
  training.memory_per_gpu = Bytes{(training.model.tables[0].memory().count() + 63) / 64};
  EXPECT_NO_THROW(dlrm_workload(training, 16));
  EXPECT_THROW(dlrm_workload(training, 17), UserError) << "more ranks than columns";
  DlrmTraining less = training;
  less.batch -= 1;
  EXPECT_THROW(dlrm_workload(less, 16), UserError);
  less = training;
  less.memory_per_gpu -= Bytes{1};
  EXPECT_THROW(dlrm_workload(less, 16), UserError);
}

TEST(DlrmTraining, NothingWantsTheInputGradientOfTheFirstLayer) {
  const Workload workload = dlrm_workload(small(16), 16);
  EXPECT_EQ(workload.table_layers, 1);
  EXPECT_EQ(workload.layers[1].name, "MLP_Bottom_0");
  EXPECT_EQ(workload.layers[1].input_gradient.compute, Duration{});
  const auto last = static_cast<std::size_t>(workload.last_bottom_layer);
  EXPECT_EQ(workload.layers[last].name, "MLP_Bottom_1");
  EXPECT_GT(workload.layers[last].input_gradient.compute, Duration{});
  EXPECT_EQ(workload.layers[last + 1].name, "Interaction");
  EXPECT_GT(workload.layers[last + 2].input_gradient.compute, Duration{});
}

// A GPU gathers the rows of whole tables: with fewer tables than GPUs in a node, some have nothing to do.
TEST(DlrmTraining, AsManyGpusGatherAsANodeHasTables) {
  const auto forward = [](int tables, int gpus) {
    DlrmTraining training = small(tables);
    training.gpus_per_node = gpus;
    training.compute.by = model::ProductsAndMemory{
        .products = compute::Roofline{.peak = compute::FlopRate::per_second(1'000'000'000'000), .memory = {}},
        .memory = 8_Gbps};
    return to_us(dlrm_workload(training, 16).layers[0].forward.compute);
  };
  const double table = forward(16, 1);
  EXPECT_GT(table, 0);
  EXPECT_NEAR(forward(16, 4), table, 1e-3 * table);
  EXPECT_NEAR(forward(32, 4), table, 1e-3 * table);
  EXPECT_NEAR(forward(128, 4), 2 * table, 1e-3 * table);
  EXPECT_NEAR(forward(17, 1), 2 * table, 1e-3 * table) << "all wait for the rank with two";
}

TEST(DlrmTraining, TheGpusOfANodeReduceAmongThemselvesFirst) {
  EXPECT_EQ(reduction_in_node(8'000'000_B, 1, 200_Gbps), Duration{});
  EXPECT_EQ(reduction_in_node(8'000'000_B, 2, 200_Gbps), 320us);
  EXPECT_EQ(reduction_in_node(8'000'000_B, 8, 200_Gbps), 80us);
}

}  // namespace
}  // namespace overture::workload
