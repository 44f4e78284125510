#include "overture/simulation/what_helps.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace overture::simulation {
namespace {

using namespace literals;
using namespace workload;

// Two NPUs on a ring, one layer: compute, then all-reduce.
SimulationConfig one_layer(Duration compute, Bytes size) {
  SimulationConfig config;
  config.network = network::AnalyticalConfig{.dimensions = {{.size = 2, .links = 2, .link_latency_ns = 10}}};
  for (auto& implementation : config.system.implementations) implementation.per_dimension = {{system::kRing}};
  Layer layer{.name = "only"};
  layer.forward.compute = compute;
  layer.weight_gradient.communication = Communication{system::CollectiveKind::all_reduce, size};
  config.workload = {.parallelism = Parallelism::data, .layers = {layer}};
  return config;
}

std::string best(const SimulationConfig& config) {
  const auto tried = what_helps(config, simulate(config));
  return std::ranges::min_element(tried, {}, &WhatIf::finished)->what;
}

TEST(WhatHelps, FindsWhatTheTimeGoesTo) {
  EXPECT_EQ(best(one_layer(1us, 10_MiB)), "twice network.dimensions.0.bandwidth");
  EXPECT_EQ(best(one_layer(10ms, 1_KiB)), "computing twice as fast");
}

TEST(WhatHelps, TriesNothingThatWouldTakeLong) {
  const SimulationConfig config = one_layer(1us, 10_MiB);
  EXPECT_TRUE(what_helps(config, simulate(config), 0).empty());
}

}  // namespace
}  // namespace overture::simulation
