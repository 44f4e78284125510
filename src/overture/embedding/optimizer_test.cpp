#include "overture/embedding/optimizer.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::embedding {
namespace {

// What LRPolicyScheduler of facebookresearch/dlrm gives for a rate of 1, ten steps of warm-up, and a decay of
// four steps from the twentieth on. Its counter is one ahead of ours.
const OptimizerConfig kScheduled{.learning_rate = 1,
                                 .schedule = {.warmup_steps = 10, .decay_start = 20, .decay_steps = 4}};

TEST(LearningRate, RisesInALineDuringTheWarmUp) {
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 0), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 4), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 8), 0.9);
}

TEST(LearningRate, StaysWhereTheWarmUpLeftItUntilTheDecay) {
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 9), 0.9);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 18), 0.9);
}

TEST(LearningRate, FallsWithTheSquareOfWhatIsLeft) {
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 19), 1);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 20), 0.75 * 0.75);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 22), 0.25 * 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(kScheduled, 1000), 0.25 * 0.25);
}

TEST(LearningRate, IsFullAfterAWarmUpWithoutDecay) {
  const OptimizerConfig warm{.learning_rate = 2, .schedule = {.warmup_steps = 4}};
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 3), 2);
  EXPECT_DOUBLE_EQ(learning_rate({.learning_rate = 2}, 7), 2);
}

TEST(Optimizer, RefusesADecayBeforeTheWarmUpEnds) {
  OptimizerConfig config = kScheduled;
  config.schedule.decay_start = 5;
  EXPECT_NE(user_error([&] { validate(config, "optimizer"); }).find("optimizer.decay_start"),
            std::string::npos);
}

TEST(Optimizer, RefusesAWeightDecayThatLeavesNothing) {
  EXPECT_NE(user_error([] { validate({.learning_rate = 0.1, .weight_decay = 10}, "optimizer"); }), "");
  EXPECT_EQ(user_error([] { validate({.learning_rate = 0.1, .weight_decay = 1e-4}, "optimizer"); }), "");
}

TEST(UpdateRule, KeepsOneMinusRateTimesDecay) {
  EXPECT_FLOAT_EQ(update_rule({.learning_rate = 0.5, .weight_decay = 0.5}, 0).kept, 0.75F);
  EXPECT_EQ(update_rule({.learning_rate = 0.5}, 0).kept, 1.0F);
}

}  // namespace
}  // namespace overture::embedding
