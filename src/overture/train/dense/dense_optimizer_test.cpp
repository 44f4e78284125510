#include "overture/train/dense/dense_optimizer.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace overture::train {
namespace {

using embedding::OptimizerKind;

// One number that starts at 1 and twice gets the gradient 2.
float after_two_steps(OptimizerKind kind, double weight_decay = 0) {
  Parameters parameters(1);
  parameters.add("w", 1, 1);
  parameters.values()[0] = 1;
  DenseOptimizer optimizer({.kind = kind, .learning_rate = 0.5, .weight_decay = weight_decay},
                           parameters.size());
  Workers workers;
  for (std::int64_t step = 0; step < 2; ++step) {
    parameters.gradients()[0] = 2;
    optimizer.apply(parameters, {0, 1}, step, workers);
  }
  return parameters.values()[0];
}

TEST(DenseOptimizer, FollowsTheFormulas) {
  EXPECT_FLOAT_EQ(after_two_steps(OptimizerKind::sgd), 1 - 0.5f * 2 - 0.5f * 2);
  EXPECT_FLOAT_EQ(after_two_steps(OptimizerKind::adagrad), 1 - 0.5f * 2 / 2 - 0.5f * 2 / std::sqrt(8.0f));
  EXPECT_NEAR(after_two_steps(OptimizerKind::adam), 1 - 0.5f - 0.5f, 1e-5);  // a constant gradient
}

TEST(DenseOptimizer, DecaysWeightsBeforeItChangesThem) {
  // (1 * 0.5 - 1) * 0.5 - 1
  EXPECT_FLOAT_EQ(after_two_steps(OptimizerKind::sgd, 1), -1.25F);
}

// As trainers do that share the parameters out.
TEST(DenseOptimizer, RangesOneAfterTheOtherChangeWhatAllAtOnceChanges) {
  constexpr std::int64_t kCount = 40'000;
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    Workers workers;
    const auto changed = [&](const std::vector<std::int64_t>& ends) {
      Parameters parameters(1);
      parameters.add("w", kCount, 1);
      DenseOptimizer optimizer({.kind = kind, .learning_rate = 0.1, .weight_decay = 0.01}, kCount);
      for (std::int64_t step = 0; step < 3; ++step) {
        for (std::int64_t i = 0; i < kCount; ++i)
          parameters.gradient(i)[0] = static_cast<float>((i + step) % 7) - 3;
        std::int64_t from = 0;
        for (const std::int64_t to : ends) {
          optimizer.apply(parameters, {from, to}, step, workers);
          from = to;
        }
      }
      return std::vector<float>(parameters.values().begin(), parameters.values().end());
    };
    EXPECT_EQ(changed({kCount}), changed({5, 5, 16'389, 16'390, kCount}));
  }
}

}  // namespace
}  // namespace overture::train
