#include "overture/train/dense/interaction.h"

#include <vector>

#include <gtest/gtest.h>

#include "overture/train/dense/testing.h"

namespace overture::train {
namespace {

TEST(Interaction, TakesTheLowerTriangleRowByRow) {
  const std::vector<float> x{1, 2};
  const std::vector<float> e{3, 4, 5, 6};
  const InteractionShape shape{.tables = 2, .dim = 2};
  std::vector<float> y(static_cast<std::size_t>(shape.outputs()));
  interaction().forward({.shape = shape, .x = x.data(), .e = e.data(), .from = 0, .to = 1}, y.data());
  EXPECT_EQ(y, (std::vector<float>{1, 2, 1 * 3 + 2 * 4, 1 * 5 + 2 * 6, 3 * 5 + 4 * 6}));
  const InteractionShape itself{.tables = 2, .dim = 2, .itself = true};
  y.resize(static_cast<std::size_t>(itself.outputs()));
  interaction().forward({.shape = itself, .x = x.data(), .e = e.data(), .from = 0, .to = 1}, y.data());
  EXPECT_EQ(y, (std::vector<float>{1, 2, 5, 11, 25, 17, 39, 61}));
}

TEST(Interaction, ResultsDoNotDependOnTheInstructionSet) {
  if (avx2_interaction() == nullptr) GTEST_SKIP() << "no AVX2 here";
  for (const InteractionShape shape : {InteractionShape{.tables = 26, .dim = 16},
                                       InteractionShape{.tables = 7, .dim = 13, .itself = true}}) {
    const auto x = random_floats(5 * shape.dim, "x");
    const auto e = random_floats(5 * shape.tables * shape.dim, "e");
    const auto dy = random_floats(5 * shape.outputs(), "dy");
    const InteractionJob job{.shape = shape, .x = x.data(), .e = e.data(), .from = 0, .to = 5};
    std::vector<float> results[2];
    for (int i = 0; i < 2; ++i) {
      const InteractionLoops& loops = i == 0 ? portable_interaction() : *avx2_interaction();
      std::vector<float> y(dy.size());
      std::vector<float> dx(x.size());
      std::vector<float> de(e.size());
      loops.forward(job, y.data());
      loops.backward(job, dy.data(), dx.data(), de.data());
      for (const auto& part : {y, dx, de}) results[i].insert(results[i].end(), part.begin(), part.end());
    }
    EXPECT_EQ(results[0], results[1]);
  }
}

}  // namespace
}  // namespace overture::train
