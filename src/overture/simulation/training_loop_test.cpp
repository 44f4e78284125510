#include <gtest/gtest.h>

#include "overture/simulation/simulation.h"
#include "overture/simulation/testing.h"

namespace overture::simulation {
namespace {

using namespace literals;
using system::CollectiveKind;

// Two ranks, 10 ns apart, a byte a nanosecond, no endpoint delay: an all-reduce of 2n bytes takes 2 (n + 10)
// ns.
SimulationConfig two_ranks(Parallelism parallelism, std::vector<Layer> layers) {
  SimulationConfig config;
  config.network = network::AnalyticalConfig{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                             .size = 2,
                                                             .links = 1,
                                                             .link_latency_ns = 5,
                                                             .link_gib_per_s = kBytePerNs}}};
  for (auto& implementation : config.system.implementations) {
    implementation = everywhere({system::kRing}, 1);
  }
  config.system.endpoint_delay = Duration{};
  config.workload = {.parallelism = parallelism, .layers = std::move(layers)};
  return config;
}

Layer layer(Duration forward, Duration input_gradient, Duration weight_gradient) {
  Layer result{.name = "layer"};
  result.forward.compute = forward;
  result.input_gradient.compute = input_gradient;
  result.weight_gradient.compute = weight_gradient;
  return result;
}

Layer with(Layer layer, PassKind kind, CollectiveKind collective) {
  Pass& pass = kind == PassKind::forward          ? layer.forward
               : kind == PassKind::input_gradient ? layer.input_gradient
                                                  : layer.weight_gradient;
  pass.communication = Communication{collective, 20_B};  // an all-reduce takes 40 ns, an all-to-all 20
  return layer;
}

TEST(TrainingLoop, DataParallelSkipsTheFirstInputGradientAndOverlapsAllReduces) {
  Layer first = layer(10ns, 1000ns, 30ns);
  Layer second = layer(20ns, 40ns, 50ns);
  second.weight_gradient.communication = Communication{CollectiveKind::all_reduce, 20_B};
  const auto result = simulate(two_ranks(Parallelism::data, {first, second}));
  // 10 + 20 forward, 50 + 40 + 30 backward; the all-reduce of 40 ns hides behind 40 + 30.
  EXPECT_EQ(result.finished, 150ns);
  EXPECT_EQ(result.layers[1].of(PassKind::weight_gradient).communication, 40ns);
  EXPECT_EQ(result.layers[1].of(PassKind::weight_gradient).exposed, 0ns);
}

TEST(TrainingLoop, TheNextIterationWaitsForTheWeights) {
  Layer only = layer(10ns, 0ns, 30ns);
  only.weight_gradient.communication = Communication{CollectiveKind::all_reduce, 20_B};
  only.update = 5ns;
  auto config = two_ranks(Parallelism::data, {only});
  config.passes = 2;
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 2 * (10ns + 30ns + 45ns));
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).exposed, 90ns);
}

TEST(TrainingLoop, TheEndOfTheRunWaitsForTheLastAllReduceAndChargesTheFirstLayer) {
  const Layer first = with(layer(10ns, 0ns, 30ns), PassKind::weight_gradient, CollectiveKind::all_reduce);
  Layer second = with(layer(20ns, 40ns, 50ns), PassKind::weight_gradient, CollectiveKind::all_reduce);
  second.weight_gradient.communication->size =
      200_B;  // 220 ns, from 80 on; the first layer's waits from 150 on
  const auto result = simulate(two_ranks(Parallelism::data, {first, second}));
  EXPECT_EQ(result.finished, 80ns + 220ns + 40ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).communication, 340ns - 150ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).exposed, 340ns - 150ns);
  EXPECT_EQ(result.layers[1].of(PassKind::weight_gradient).exposed, 0ns);
  EXPECT_EQ(result.exposed(), 190ns);
}

TEST(TrainingLoop, DataParallelNeverIssuesWhatTheOtherPassesSay) {
  const Layer only = with(with(layer(10ns, 0ns, 30ns), PassKind::forward, CollectiveKind::all_reduce),
                          PassKind::input_gradient, CollectiveKind::all_reduce);
  EXPECT_EQ(simulate(two_ranks(Parallelism::data, {only})).finished, 40ns);
}

TEST(TrainingLoop, MicroIssuesTheFirstCollectiveOverAndOver) {
  const Layer first = with(layer(10ns, 20ns, 30ns), PassKind::weight_gradient, CollectiveKind::all_reduce);
  auto config = two_ranks(Parallelism::micro, {first, first});
  config.passes = 3;
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 3 * 40ns);
  EXPECT_EQ(result.compute(), 0ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).communication, 40ns + 80ns + 120ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).exposed, 40ns) << "only the first that completes";
  Duration waited{};
  for (const LayerAccount& layer : result.layers) {
    for (const PassAccount& pass : layer.passes) waited += pass.waited;
  }
  EXPECT_EQ(waited, result.exposed()) << "our account adds up to the run";
  EXPECT_EQ(result.layers[1].collectives, 0);
  EXPECT_EQ(result.end, (std::vector{Time{40ns}, Time{120ns}, Time{80ns}}))
      << "the newest of those that wait goes first";
}

// Forward 10 + 40 ns for either layer. Backward: the second layer's input gradient is sent from 120 to 160
// while its weight gradient is computed until 150.
Layer model_parallel_layer() {
  return with(with(layer(10ns, 20ns, 30ns), PassKind::forward, CollectiveKind::all_reduce),
              PassKind::input_gradient, CollectiveKind::all_reduce);
}

TEST(TrainingLoop, ModelParallelHidesInputGradientsBehindWeightGradients) {
  const auto result =
      simulate(two_ranks(Parallelism::model, {model_parallel_layer(), model_parallel_layer()}));
  EXPECT_EQ(result.finished, 160ns + 20ns + 30ns);
  EXPECT_EQ(result.layers[1].of(PassKind::input_gradient).communication, 40ns);
  EXPECT_EQ(result.layers[1].of(PassKind::input_gradient).exposed, 10ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).communication, 0ns)
      << "nobody wants the first layer's";
}

TEST(TrainingLoop, ATransformerSendsTheFirstLayersInputGradientToo) {
  auto config = two_ranks(Parallelism::hybrid_transformer, {model_parallel_layer(), model_parallel_layer()});
  config.workload.model_group = 2;
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 160ns + 20ns + 40ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).exposed, 10ns);
}

TEST(TrainingLoop, HybridsSendWeightGradientsWithoutWaitingForThem) {
  const Layer only = with(layer(10ns, 20ns, 30ns), PassKind::weight_gradient, CollectiveKind::all_reduce);
  auto config = two_ranks(Parallelism::hybrid_model_data, {only, only});
  // Weight gradients from 70 to 110 and from 120 to 160.
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 160ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).exposed, 40ns);
  EXPECT_EQ(result.layers[1].of(PassKind::weight_gradient).exposed, 0ns);
  config.workload.parallelism = Parallelism::hybrid_data_model;
  EXPECT_EQ(simulate(config).finished, 120ns) << "over the dimensions from 1 on, of which there do not exist";
}

TEST(TrainingLoop, EveryLayerOfACustomWorkloadHasItsOwnParallelism) {
  Layer data = with(layer(10ns, 20ns, 30ns), PassKind::forward, CollectiveKind::all_reduce);
  Layer model = data;
  model.parallelism = Parallelism::model;
  const auto result = simulate(two_ranks(Parallelism::hybrid_customized, {data, model}));
  EXPECT_EQ(result.layers[0].collectives, 0);
  EXPECT_EQ(result.layers[1].collectives, 1);
  EXPECT_EQ(result.finished, 20ns + 40ns + 2 * (20ns + 30ns));
}

TEST(TrainingLoop, ARecomputationStartsFromTheNearestCheckpoint) {
  auto config =
      two_ranks(Parallelism::hybrid_transformer_fwd_in_bckwd,
                {layer(10ns, 1ns, 2ns), layer(10ns, 1ns, 2ns), layer(10ns, 1ns, 2ns), layer(10ns, 1ns, 2ns)});
  config.workload.checkpoints = {0, 2};
  config.workload.recompute_starts = {1, 3};
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 40ns + 4 * 3ns + 20ns) << "layers 0 and 2 once more";
  for (const std::size_t l : {0U, 1U, 2U, 3U}) {
    EXPECT_EQ(result.layers[l].of(PassKind::forward).compute, l % 2 == 0 ? 20ns : 10ns);
  }
  config.step = 1ns;
  // Four forward, eight backward, and one to turn round and one for the layer in either recomputation.
  EXPECT_EQ(simulate(config).finished, 72ns + 4 * 1ns + 8 * 1ns + 2 * 2 * 1ns);
}

TEST(TrainingLoop, ARecomputationOfSeveralLayersRunsUpToTheOneThatAsked) {
  auto config = two_ranks(Parallelism::hybrid_transformer_fwd_in_bckwd,
                          {layer(10ns, 0ns, 0ns), layer(20ns, 0ns, 0ns), layer(40ns, 0ns, 0ns)});
  config.workload.checkpoints = {0};
  config.workload.recompute_starts = {2};
  EXPECT_EQ(simulate(config).finished, 70ns + 30ns);
}

TEST(TrainingLoop, ModelParallelWaitsForActivationsAndNeverSendsWeights) {
  Layer only = layer(10ns, 20ns, 30ns);
  only.forward.communication = Communication{CollectiveKind::all_reduce, 20_B};
  only.weight_gradient.communication = Communication{CollectiveKind::all_reduce, 20_B};
  const auto result = simulate(two_ranks(Parallelism::model, {only}));
  EXPECT_EQ(result.finished, 10ns + 40ns + 20ns + 30ns);
  EXPECT_EQ(result.layers[0].of(PassKind::forward).exposed, 40ns);
  EXPECT_EQ(result.layers[0].of(PassKind::weight_gradient).communication, 0ns);
}

TEST(TrainingLoop, InferenceHasNoBackwardPass) {
  const auto result = simulate(two_ranks(Parallelism::distributed_inference, {layer(10ns, 20ns, 30ns)}));
  EXPECT_EQ(result.finished, 10ns);
}

TEST(TrainingLoop, DlrmHidesTheEmbeddingsExchangeBehindTheBottomMlp) {
  Layer embedding = layer(10ns, 0ns, 0ns);
  embedding.forward.communication = Communication{CollectiveKind::all_to_all, 20_B};  // 20 ns
  auto config = two_ranks(Parallelism::hybrid_dlrm, {embedding, layer(15ns, 0ns, 0ns), layer(7ns, 0ns, 0ns)});
  config.workload.last_bottom_layer = 1;
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 10ns + 20ns + 7ns);
  EXPECT_EQ(result.layers[0].of(PassKind::forward).exposed, 5ns);
}

// Forward until 37. The gradients' exchange goes from 51 to 71, while the backward pass computes until 63.
SimulationConfig dlrm(Parallelism parallelism) {
  Layer embedding = layer(10ns, 1000ns, 3ns);
  embedding = with(with(embedding, PassKind::forward, CollectiveKind::all_to_all), PassKind::input_gradient,
                   CollectiveKind::all_to_all);
  const Layer bottom = layer(15ns, 4ns, 5ns);
  const Layer top = with(layer(7ns, 6ns, 8ns), PassKind::forward, CollectiveKind::all_reduce);  // ignored
  auto config = two_ranks(parallelism, {embedding, bottom, top});
  config.workload.last_bottom_layer = 1;
  return config;
}

TEST(TrainingLoop, DlrmSendsTheEmbeddingsGradientsBehindTheTopMlpAndWaitsForThem) {
  auto config = dlrm(Parallelism::hybrid_dlrm);
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 71ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).communication, 20ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).exposed, 8ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).compute, 0ns);
  EXPECT_EQ(result.layers[2].collectives, 0);
  config.passes = 2;
  EXPECT_EQ(simulate(config).finished, 2 * 71ns);
}

TEST(TrainingLoop, EnhancedDlrmLetsTheGradientsOverlapTheNextIteration) {
  auto config = dlrm(Parallelism::hybrid_dlrm_enhanced);
  EXPECT_EQ(simulate(config).finished, 71ns);
  config.passes = 2;
  const auto result = simulate(config);
  EXPECT_EQ(result.finished, 63ns + 71ns);
  EXPECT_EQ(result.layers[0].of(PassKind::input_gradient).exposed, 0ns);
}

TEST(TrainingLoop, AnUpdateDelayIsPartOfTheCommunication) {
  Layer only = with(layer(10ns, 0ns, 0ns), PassKind::forward, CollectiveKind::all_reduce);
  only.update = 7ns;
  const auto result = simulate(two_ranks(Parallelism::distributed_inference, {only}));
  EXPECT_EQ(result.finished, 57ns);
  EXPECT_EQ(result.layers[0].of(PassKind::forward).communication, 47ns);
  EXPECT_EQ(result.layers[0].of(PassKind::forward).exposed, 47ns);
}

TEST(TrainingLoop, EveryStepCostsWhatTheSetupSays) {
  auto config = two_ranks(Parallelism::distributed_inference, {layer(10ns, 0ns, 0ns), layer(10ns, 0ns, 0ns)});
  config.step = 1ns;
  EXPECT_EQ(simulate(config).finished, 22ns);
}

TEST(Simulate, SizesBeyondThirtyTwoBitsWork) {
  Layer only = layer(0ns, 0ns, 0ns);
  only.weight_gradient.communication = Communication{CollectiveKind::all_reduce, 16_GiB};
  const auto result = simulate(two_ranks(Parallelism::micro, {only}));
  const std::int64_t half = std::int64_t{8} << 30;
  const Duration reduction = Nanoseconds{3 * (half / 500'000)};
  EXPECT_EQ(result.finished, 2 * (Nanoseconds{half} + 10ns) + reduction);
}

}  // namespace
}  // namespace overture::simulation
