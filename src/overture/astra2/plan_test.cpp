#include "overture/astra2/plan.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::astra2 {
namespace {

using system::AlgorithmKind;
using system::CollectiveKind;
using topology::DimensionKind;
using Logical = std::array<std::vector<LogicalDimension>, kPlayed>;

Config machine(std::vector<int> sizes, AlgorithmKind algorithm, system::Optimization optimization) {
  Config config;
  for (const int npus : sizes) config.network.dimensions.push_back({.npus = npus});
  config.system.file = "system.json";
  config.system.splits = 4;
  config.system.optimization = optimization;
  for (auto& implementations : config.system.implementations)
    implementations.assign(sizes.size(), {.algorithm = {algorithm}});
  return config;
}

Logical logical_of(const Config& config) {
  Logical logical;
  for (int k = 0; k < kPlayed; ++k)
    logical[static_cast<std::size_t>(k)] = logical_dimensions(config, static_cast<Played>(k));
  return logical;
}

std::vector<Phase> phases_of(const Config& config, int npu, const Request& request) {
  const Logical logical = logical_of(config);
  return Planner(config, logical, npu).phases(request, request.size);
}

constexpr auto kBaseline = system::Optimization::baseline;
constexpr auto kAware = system::Optimization::local_bandwidth_aware;

TEST(Plan, ABaselineAllReduceVisitsEveryDimensionWhole) {
  const Config config = machine({4, 2, 8}, system::kRing, kBaseline);
  const auto phases = phases_of(config, 0, {.size = 4096});
  ASSERT_EQ(phases.size(), 3U);
  for (const Phase& phase : phases) {
    EXPECT_EQ(phase.kind, CollectiveKind::all_reduce);
    EXPECT_EQ(phase.input, 4096U);
    EXPECT_EQ(phase.output, 4096U);
  }
  EXPECT_EQ(phases[2].members.stride, 8);
}

// In, across, and back: 4096 / 4 / 2 is left for the last dimension.
TEST(Plan, AnAwareAllReduceScattersInwardsAndGathersBack) {
  const Config config = machine({4, 2, 8}, system::kRing, kAware);
  const auto phases = phases_of(config, 0, {.size = 4096});
  ASSERT_EQ(phases.size(), 5U);
  const CollectiveKind kinds[] = {CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter,
                                  CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                  CollectiveKind::all_gather};
  const std::uint64_t inputs[] = {4096, 1024, 512, 512, 1024};
  for (std::size_t p = 0; p < 5; ++p) {
    EXPECT_EQ(phases[p].kind, kinds[p]) << p;
    EXPECT_EQ(phases[p].input, inputs[p]) << p;
  }
  EXPECT_EQ(phases.back().output, 4096U);
}

TEST(Plan, AnAllGatherBeginsWithTheOuterDimension) {
  const Config config = machine({4, 2}, system::kRing, kAware);
  const auto phases = phases_of(config, 0, {.collective = Played::all_gather, .size = 100});
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].members.size, 2);
  EXPECT_EQ(phases[0].output, 200U);
  EXPECT_EQ(phases[1].members.size, 4);
  EXPECT_EQ(phases[1].output, 800U);
}

TEST(Plan, DimensionsThatTakeNoPartAreSkipped) {
  const Config config = machine({4, 2, 8}, system::kRing, kAware);
  const auto phases = phases_of(config, 0, {.size = 4096, .dimensions = 0b010});
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(phases[0].members.size, 2);
  EXPECT_TRUE(phases_of(config, 0, {.size = 4096, .dimensions = 0}).empty());
  EXPECT_TRUE(phases_of(machine({1, 1}, system::kRing, kAware), 0, {.size = 4096}).empty());
}

// NPU 13 of 4 x 2 x 8 has the coordinates 1, 1, 1.
TEST(Plan, MembersShareAllOtherCoordinates) {
  const Config config = machine({4, 2, 8}, system::kRing, kBaseline);
  const auto phases = phases_of(config, 13, {.size = 4096});
  EXPECT_EQ(phases[0].members.rank(0), 12);
  EXPECT_EQ(phases[0].members.rank(3), 15);
  EXPECT_EQ(phases[1].members.neighbour(1), 9);
  EXPECT_EQ(phases[2].members.rank(7), 5 + 7 * 8);
  EXPECT_EQ(phases[2].members.neighbour(-1), 5);
}

TEST(Plan, AGroupIsOneRingInTheOrderOfItsFile) {
  Config config = machine({4, 2}, system::kDirect, kAware);
  config.groups[7] = {6, 1, 3};
  const auto phases = phases_of(config, 1, {.size = 300, .group = 7});
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].algorithm.kind, system::kRing);
  EXPECT_EQ(phases[0].members.mine, 1);
  EXPECT_EQ(phases[0].members.neighbour(1), 3);
  EXPECT_EQ(phases[0].members.neighbour(-1), 6);
}

TEST(Plan, AGroupOfEverybodyIsNoGroup) {
  Config config = machine({4, 2}, system::kDirect, kBaseline);
  config.groups[7] = {7, 6, 5, 4, 3, 2, 1, 0};
  const auto phases = phases_of(config, 1, {.size = 800, .group = 7});
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].algorithm.kind, system::kDirect);
  EXPECT_EQ(phases[0].members.named, nullptr);
}

// Four queues of two dimensions: the lower half goes up, the upper half down.
TEST(Plan, QueuesTakeTurnsAndHalfOfThemGoTheOtherWayRound) {
  Config config = machine({4}, system::kRing, kBaseline);
  config.queues = 4;
  const Logical logical = logical_of(config);
  Planner planner(config, logical, 0);
  std::vector<int> queues;
  std::vector<int> directions;
  for (int chunk = 0; chunk < 5; ++chunk) {
    const Phase phase = planner.phases({.size = 400}, 400).front();
    queues.push_back(phase.queue);
    directions.push_back(phase.direction);
  }
  EXPECT_EQ(queues, (std::vector{0, 1, 2, 3, 0}));
  EXPECT_EQ(directions, (std::vector{1, 1, -1, -1, 1}));
}

TEST(Plan, TheWayInAndTheWayOutHaveTheirOwnQueues) {
  Config config = machine({4, 2}, system::kRing, kAware);
  config.queues = 2;
  const auto phases = phases_of(config, 0, {.size = 4096});
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].queue, 0);
  EXPECT_EQ(phases[1].queue, 2);  // of the second dimension
  EXPECT_EQ(phases[2].queue, 1);
  EXPECT_EQ(phases[2].direction, -1);
}

TEST(Plan, TreesTakeTurns) {
  const Config config = machine({8}, system::kDoubleBinaryTree, kBaseline);
  const Logical logical = logical_of(config);
  Planner planner(config, logical, 0);
  EXPECT_EQ(planner.phases({.size = 64}, 64).front().root, system::TreeRoot::largest);
  EXPECT_EQ(planner.phases({.size = 64}, 64).front().root, system::TreeRoot::smallest);
  EXPECT_EQ(planner.phases({.size = 64}, 64).front().root, system::TreeRoot::largest);
}

TEST(Plan, ChunksAreNeverSmallerThanTheMachine) {
  const Config config = machine({8}, system::kRing, kBaseline);
  EXPECT_EQ(chunks_of(config, Played::all_reduce, 4000).size, 1000U);
  EXPECT_EQ(chunks_of(config, Played::all_reduce, 4000).count, 4U);
  EXPECT_EQ(chunks_of(config, Played::all_reduce, 3).size, 8U);
  EXPECT_EQ(chunks_of(config, Played::all_reduce, 3).count, 4U);
  // What is left over makes a chunk more, as long as the others.
  EXPECT_EQ(chunks_of(config, Played::all_reduce, 4003).count, 5U);
  // An all-gather's may be short, and one of nothing has none.
  EXPECT_EQ(chunks_of(config, Played::all_gather, 12).size, 3U);
  EXPECT_EQ(chunks_of(config, Played::all_gather, 3).count, 0U);
}

TEST(Plan, AnAlgorithmForEverybodyEndsTheList) {
  Config config = machine({4, 2}, system::kRing, kBaseline);
  auto& all_reduce = config.system.implementations[0];
  all_reduce.front().everybody = true;
  const auto logical = logical_dimensions(config, Played::all_reduce);
  ASSERT_EQ(logical.size(), 1U);
  EXPECT_EQ(logical[0].size, 8);
  EXPECT_EQ(logical[0].stride, 1);
}

TEST(Plan, SaysWhichKeyDoesNotFit) {
  Config config = machine({6}, system::kHalvingDoubling, kBaseline);
  EXPECT_TRUE(user_error([&] { logical_dimensions(config, Played::all_gather); })
                  .starts_with("system.json: all-gather-implementation: halvingDoubling needs a power of two "
                               "of NPUs, not 6"));
  config = machine({8}, system::kHalvingDoubling, kBaseline);
  EXPECT_TRUE(user_error([&] {
                logical_dimensions(config, Played::all_to_all);
              }).starts_with("system.json: all-to-all-implementation: halvingDoubling cannot"));
  config = machine({8}, system::kRing, kBaseline);
  config.system.implementations[0].push_back({});
  EXPECT_TRUE(user_error([&] {
                logical_dimensions(config, Played::all_reduce);
              }).starts_with("system.json: all-reduce-implementation: has 2 algorithms for 1 dimension"));
}

TEST(Plan, ATreeIsForEverybody) {
  Config config = machine({8}, system::kDoubleBinaryTree, kBaseline);
  config.groups[3] = {0, 1, 2, 3};
  EXPECT_TRUE(user_error([&] {
                phases_of(config, 0, {.size = 64, .group = 3});
              }).find("cannot run in group 3") != std::string::npos);
}

}  // namespace
}  // namespace overture::astra2
