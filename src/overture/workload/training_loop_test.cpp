#include "overture/workload/training_loop.h"

#include <gtest/gtest.h>

#include "overture/workload/simulation.h"
#include "overture/workload/testing.h"

namespace overture::workload {
namespace {

using namespace literals;
using system::CollectiveKind;

// Two ranks, 10 ns apart, a byte a nanosecond, no endpoint delay: an all-reduce of 2n bytes takes 2 (n + 10)
// ns.
SimulationConfig two_ranks(Parallelism parallelism, std::vector<Layer> layers) {
  SimulationConfig config;
  config.network = {.dimensions = {{.kind = topology::DimensionKind::switched,
                                    .size = 2,
                                    .links = 1,
                                    .link_latency_ns = 5,
                                    .link_gib_per_s = kBytePerNs}}};
  for (auto& implementation : config.system.implementations) {
    implementation = everywhere({system::AlgorithmKind::ring}, 1);
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
}  // namespace overture::workload
