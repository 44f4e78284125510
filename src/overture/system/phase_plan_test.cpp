#include "overture/system/phase_plan.h"

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using namespace literals;
using enum CollectiveKind;

// Three dimensions, of 2, 3 and 4 ranks.
const std::vector<LogicalDimension> kDimensions{{.size = 2, .stride = 1, .physical = 0},
                                                {.size = 3, .stride = 2, .physical = 1},
                                                {.size = 4, .stride = 6, .physical = 2}};
const DimensionMask kAll{true, true, true};

class PhasePlan : public testing::Test {
 protected:
  PhasePlan() {
    for (Implementation& implementation : config_.implementations) {
      implementation.per_dimension.assign(3, Algorithm{kRing});
    }
  }

  std::vector<Phase> plan(CollectiveKind kind, std::vector<int> order, Bytes size,
                          const DimensionMask& mask = kAll) {
    return plan_phases(kind, {.dimensions = std::move(order), .size = size}, mask, config_, kDimensions,
                       resources_);
  }

  SystemConfig config_;
  PhaseResources resources_{3, SystemConfig{}};
};

struct Step {
  CollectiveKind kind;
  int dimension;
  Bytes input;
  Bytes output;
  friend bool operator==(const Step&, const Step&) = default;
};

std::vector<Step> steps(const std::vector<Phase>& phases) {
  std::vector<Step> result;
  for (const Phase& phase : phases)
    result.push_back({phase.kind, phase.dimension_index, phase.input, phase.output});
  return result;
}

TEST_F(PhasePlan, ABaselineAllReduceIsWholeOnEveryDimension) {
  EXPECT_EQ(steps(plan(all_reduce, {0, 1, 2}, 240_B)), (std::vector<Step>{{all_reduce, 0, 240_B, 240_B},
                                                                          {all_reduce, 1, 240_B, 240_B},
                                                                          {all_reduce, 2, 240_B, 240_B}}));
}

TEST_F(PhasePlan, ABandwidthAwareAllReduceShrinksOnTheWayInAndGrowsBack) {
  config_.optimization = Optimization::local_bandwidth_aware;
  EXPECT_EQ(steps(plan(all_reduce, {0, 1, 2}, 240_B)), (std::vector<Step>{{reduce_scatter, 0, 240_B, 120_B},
                                                                          {reduce_scatter, 1, 120_B, 40_B},
                                                                          {all_reduce, 2, 40_B, 40_B},
                                                                          {all_gather, 1, 40_B, 120_B},
                                                                          {all_gather, 0, 120_B, 240_B}}));
}

TEST_F(PhasePlan, ThemisScattersAndGathersOnEveryDimension) {
  config_.optimization = Optimization::local_bandwidth_aware;
  for (const InterOrder order : {InterOrder::themis, InterOrder::themis_flex}) {
    config_.inter_order = order;
    EXPECT_EQ(steps(plan(all_reduce, {2, 0, 1}, 240_B)), (std::vector<Step>{{reduce_scatter, 2, 240_B, 60_B},
                                                                            {reduce_scatter, 0, 60_B, 30_B},
                                                                            {reduce_scatter, 1, 30_B, 10_B},
                                                                            {all_gather, 1, 10_B, 30_B},
                                                                            {all_gather, 0, 30_B, 60_B},
                                                                            {all_gather, 2, 60_B, 240_B}}));
  }
}

TEST_F(PhasePlan, OtherCollectivesAreThemselvesOnEveryDimension) {
  config_.optimization = Optimization::local_bandwidth_aware;
  EXPECT_EQ(steps(plan(all_gather, {2, 1, 0}, 10_B)),
            (std::vector<Step>{
                {all_gather, 2, 10_B, 40_B}, {all_gather, 1, 40_B, 120_B}, {all_gather, 0, 120_B, 240_B}}));
  EXPECT_EQ(steps(plan(all_to_all, {0, 1, 2}, 10_B)),
            (std::vector<Step>{
                {all_to_all, 0, 10_B, 10_B}, {all_to_all, 1, 10_B, 10_B}, {all_to_all, 2, 10_B, 10_B}}));
  EXPECT_EQ(steps(plan(reduce_scatter, {0, 1, 2}, 250_B)),
            (std::vector<Step>{{reduce_scatter, 0, 250_B, 125_B},
                               {reduce_scatter, 1, 125_B, 41_B},
                               {reduce_scatter, 2, 41_B, 10_B}}));
}

TEST_F(PhasePlan, DimensionsOutsideTheMaskAreSkipped) {
  config_.optimization = Optimization::local_bandwidth_aware;
  EXPECT_EQ(steps(plan(all_reduce, {0, 1, 2}, 240_B, {true, false, false})),
            (std::vector<Step>{{all_reduce, 0, 240_B, 240_B}}));
  EXPECT_TRUE(plan(all_reduce, {0, 1, 2}, 240_B, {false, false, false}).empty());
}

TEST_F(PhasePlan, DimensionsOfOneRankAreSkipped) {
  const std::vector<LogicalDimension> lonely{{.size = 1}, {.size = 2}, {.size = 1}};
  const auto phases =
      plan_phases(all_reduce, {.dimensions = {0, 1, 2}, .size = 10_B}, kAll, config_, lonely, resources_);
  EXPECT_EQ(steps(phases), (std::vector<Step>{{all_reduce, 1, 10_B, 10_B}}));
}

TEST_F(PhasePlan, ScattersAndGathersOfAnAllReduceUseItsAlgorithms) {
  config_.optimization = Optimization::local_bandwidth_aware;
  config_.implementation(all_reduce).per_dimension = {{kDirect, 2}, {kRing}, {kHalvingDoubling}};
  const auto phases = plan(all_reduce, {0, 1, 2}, 240_B);
  EXPECT_EQ(phases[0].algorithm, (Algorithm{kDirect, 2}));
  EXPECT_EQ(phases[2].algorithm, Algorithm{kHalvingDoubling});
  EXPECT_EQ(phases[4].algorithm, (Algorithm{kDirect, 2}));
}

TEST_F(PhasePlan, ATreeDoesNotShrinkTheDataOnTheWayIn) {
  config_.optimization = Optimization::local_bandwidth_aware;
  config_.implementation(all_reduce).per_dimension[0] = {kDoubleBinaryTree};
  const auto phases = plan(all_reduce, {0, 1, 2}, 240_B);
  EXPECT_EQ(phases[0].output, 240_B);
  EXPECT_EQ(phases[4].output, 240_B);
}

TEST_F(PhasePlan, EveryTreePhaseOfADimensionTakesTheOtherTree) {
  config_.optimization = Optimization::local_bandwidth_aware;
  config_.implementation(all_reduce).per_dimension = {{kDoubleBinaryTree}, {kRing}, {kDoubleBinaryTree}};
  for (int chunk = 0; chunk < 2; ++chunk) {
    const auto phases = plan(all_reduce, {0, 1, 2}, 240_B);
    EXPECT_EQ(phases[0].tree_root, TreeRoot::largest);
    EXPECT_EQ(phases[4].tree_root, TreeRoot::smallest);
    EXPECT_EQ(phases[2].tree_root, chunk == 0 ? TreeRoot::largest : TreeRoot::smallest);
  }
}

TEST_F(PhasePlan, QueuesTakeTurnsAndTheSecondHalfGoesTheOtherWayRound) {
  resources_ = PhaseResources(3, SystemConfig{.queues_per_dimension = 4});
  const std::vector<int> directions{1, 1, -1, -1, 1};
  for (std::size_t chunk = 0; chunk < directions.size(); ++chunk) {
    for (const Phase& phase : plan(all_to_all, {0, 1, 2}, 240_B)) {
      EXPECT_EQ(phase.queue, static_cast<int>(chunk % 4));
      EXPECT_EQ(phase.direction, directions[chunk]);
    }
  }
}

TEST_F(PhasePlan, AChunkThatVisitsADimensionTwiceTakesTwoTurns) {
  resources_ = PhaseResources(3, SystemConfig{.queues_per_dimension = 2});
  config_.optimization = Optimization::local_bandwidth_aware;
  const auto phases = plan(all_reduce, {0, 1, 2}, 240_B);
  EXPECT_EQ(phases[0].queue, 0);
  EXPECT_EQ(phases[4].queue, 1);
  EXPECT_EQ(phases[2].queue, 0);
  EXPECT_EQ(plan(all_reduce, {0, 1, 2}, 240_B)[2].queue, 1);
}

TEST_F(PhasePlan, OneQueueGoesClockwise) {
  EXPECT_EQ(plan(all_reduce, {0, 1, 2}, 240_B)[0].direction, 1);
  resources_ = PhaseResources(
      3, SystemConfig{.queues_per_dimension = 3});  // of three, one goes clockwise and two go back
  EXPECT_EQ(plan(all_reduce, {0, 1, 2}, 240_B)[0].direction, 1);
  EXPECT_EQ(plan(all_reduce, {0, 1, 2}, 240_B)[0].direction, -1);
  EXPECT_EQ(plan(all_reduce, {0, 1, 2}, 240_B)[0].direction, -1);
}

}  // namespace
}  // namespace overture::system
