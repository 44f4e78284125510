#include "overture/train/dense/dense_optimizer.h"

#include <cmath>

#include <gtest/gtest.h>

namespace overture::train {
namespace {

using embedding::OptimizerKind;

// One number that starts at 1 and twice gets the gradient 2.
float after_two_steps(OptimizerKind kind, double weight_decay = 0) {
  Parameters parameters(1);
  parameters.add("w", 1, 1);
  parameters.values()[0] = 1;
  DenseOptimizer optimizer({.kind = kind, .learning_rate = 0.5, .weight_decay = weight_decay}, parameters.size());
  Workers workers;
  for (std::int64_t step = 0; step < 2; ++step) {
    parameters.gradients()[0] = 2;
    optimizer.apply(parameters, step, workers);
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

}  // namespace
}  // namespace overture::train
