#include "overture/train/dense/loss.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace overture::train {
namespace {

TEST(CrossEntropy, OfNoKnowledgeIsLogTwo) {
  const std::vector<float> logits{0, 0};
  const std::vector<float> labels{0, 1};
  std::vector<float> gradients(2);
  EXPECT_DOUBLE_EQ(cross_entropy(logits, labels, 4, gradients), 2 * std::log(2.0));
  EXPECT_EQ(gradients, (std::vector<float>{0.125f, -0.125f}));
}

TEST(CrossEntropy, StaysFiniteForSureMistakes) {
  const std::vector<float> logits{500, -500};
  const std::vector<float> labels{0, 1};
  std::vector<float> gradients(2);
  EXPECT_NEAR(cross_entropy(logits, labels, 1, gradients), 1000, 1e-9);
  EXPECT_EQ(gradients, (std::vector<float>{1, -1}));
}

}  // namespace
}  // namespace overture::train
