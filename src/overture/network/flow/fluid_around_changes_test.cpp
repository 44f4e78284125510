// Rates that are found around what has changed alone are those that all lanes together would get.
#include <gtest/gtest.h>

#include "overture/network/flow/run_flows.h"
#include "overture/network/flow/testing.h"
#include "overture/topology/fat_tree.h"

namespace overture::network::flow {
namespace {

using namespace literals;

// 128 hosts whose flows all differ, some hundred of them under way at a time.
std::vector<FlowSpec> many_flows(std::uint64_t seed) {
  std::vector<FlowSpec> flows = testing::random_flows(128, 600, seed);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].start = Time{Duration{50ns} * (i / 2)};
  return flows;
}

topology::Topology tree() { return topology::fat_tree({.k = 8}); }

TEST(FluidAroundChanges, EveryFlowEndsAsInThePlainFluid) {
  for (const topology::PathRule paths :
       {topology::PathRule::hash_per_flow, topology::PathRule::by_destination}) {
    for (const Sharing sharing : {Sharing::equal, Sharing::inverse_latency}) {
      const FlowConfig config{.paths = paths, .sharing = sharing};
      const std::vector<FlowSpec> flows = many_flows(31);
      const std::vector<double> expected = testing::plain_fluid(tree(), config, flows);
      const FluidRun result = run_flows(tree(), config, flows);
      for (std::size_t i = 0; i < flows.size(); ++i)
        EXPECT_NEAR(static_cast<double>(result.completion[i]->count()), expected[i], 400) << i;
    }
  }
}

TEST(FluidAroundChanges, FewLanesAreSolvedAtATime) {
  const FlowConfig config{.paths = topology::PathRule::hash_per_flow};
  const FluidStatistics statistics = run_flows(tree(), config, many_flows(37)).statistics;
  EXPECT_GT(statistics.solutions, 600U);
  EXPECT_LT(statistics.solved_lanes, 200 * statistics.solutions) << "of up to 600";
}

}  // namespace
}  // namespace overture::network::flow
