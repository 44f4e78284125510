// What models compute, against their formulas written down plainly, in doubles and sample by sample; what
// their numbers start as; and what is said of layers that do not fit.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/train/dense/models.h"
#include "overture/train/dense/testing.h"

namespace overture::train {
namespace {

using Vector = std::vector<double>;

const ModelShape kShape{.dense_features = 4, .dims = {3, 3, 3}};
constexpr std::int64_t kSamples = 37;

// The numbers of a model by their names.
class Plain {
 public:
  explicit Plain(DenseModel& model) : model_(model) {}

  std::span<const float> numbers(const std::string& name) const {
    const auto& entries = model_.parameters().entries();
    const auto found = std::ranges::find(entries, name, &Parameters::Entry::name);
    EXPECT_NE(found, entries.end()) << name;
    return std::span<const float>(model_.parameters().values())
        .subspan(static_cast<std::size_t>(found->start), static_cast<std::size_t>(found->size));
  }

  Vector linear(const std::string& layer, const Vector& x, bool relu) const {
    const auto weights = numbers(layer + ".weight");
    const auto biases = numbers(layer + ".bias");
    Vector y(biases.begin(), biases.end());
    EXPECT_EQ(weights.size(), x.size() * y.size()) << layer;
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i)
        y[o] += static_cast<double>(weights[o * x.size() + i]) * x[i];
      if (relu) y[o] = std::max(y[o], 0.0);
    }
    return y;
  }

  Vector mlp(const std::string& name, int layers, Vector x, bool relu_at_the_end) const {
    for (int i = 0; i < layers; ++i)
      x = linear(name + "." + std::to_string(i), x, i + 1 < layers || relu_at_the_end);
    return x;
  }

 private:
  DenseModel& model_;
};

Vector joined(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// `formula` takes a sample's dense features and its rows side by side.
template <class Formula>
void expect_formula(DenseModel& model, Formula formula) {
  Workers workers(2);
  const auto dense = random_floats(kSamples * kShape.dense_features, "dense");
  const auto rows = random_floats(kSamples * kShape.width(), "embeddings");
  std::vector<float> logits(kSamples);
  model.forward({.samples = kSamples, .dense = dense.data(), .embeddings = rows.data()}, logits, workers);
  for (std::int64_t s = 0; s < kSamples; ++s) {
    const float* const features = dense.data() + s * kShape.dense_features;
    const float* const row = rows.data() + s * kShape.width();
    EXPECT_NEAR(
        static_cast<double>(logits[static_cast<std::size_t>(s)]),
        formula(Vector(features, features + kShape.dense_features), Vector(row, row + kShape.width())), 1e-5)
        << "sample " << s;
  }
}

double dot(const Vector& all, std::size_t a, std::size_t b, std::size_t width) {
  double sum = 0;
  for (std::size_t c = 0; c < width; ++c) sum += all[a * width + c] * all[b * width + c];
  return sum;
}

TEST(Formulas, DlrmMultipliesEveryPairOfVectors) {
  for (const bool itself : {false, true}) {
    const auto model =
        make_model(DlrmConfig{.bottom = {4, 6, 3}, .top = {8, 1}, .interaction_itself = itself}, kShape, 11);
    const Plain plain(*model);
    expect_formula(*model, [&](const Vector& dense, const Vector& rows) {
      const Vector x = plain.mlp("bottom", 2, dense, true);
      const Vector vectors = joined(x, rows);  // four of three numbers
      Vector interacted = x;
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < a + (itself ? 1 : 0); ++b) interacted.push_back(dot(vectors, a, b, 3));
      }
      return plain.mlp("top", 2, interacted, false)[0];
    });
  }
}

TEST(Formulas, DlrmMayPutVectorsSideBySide) {
  const auto model =
      make_model(DlrmConfig{.bottom = {4, 3}, .top = {5, 7, 1}, .interaction = Interaction::cat}, kShape, 12);
  const Plain plain(*model);
  expect_formula(*model, [&](const Vector& dense, const Vector& rows) {
    return plain.mlp("top", 3, joined(plain.mlp("bottom", 1, dense, true), rows), false)[0];
  });
}

TEST(Formulas, WideAndDeepAddsALinearLayerOnRowsToTheMlp) {
  const auto model = make_model(WideAndDeepConfig{.deep = {4, 6, 5}}, kShape, 13);
  const Plain plain(*model);
  expect_formula(*model, [&](const Vector& dense, const Vector& rows) {
    return plain.linear("both.0", joined(plain.mlp("deep", 2, dense, false), rows), false)[0];
  });
}

TEST(Formulas, DcnCrossesWithItsFirstVector) {
  const auto model =
      make_model(DcnConfig{.bottom = {4, 3}, .top = {7, 1}, .cross_layers = 3, .rank = 2}, kShape, 14);
  const Plain plain(*model);
  expect_formula(*model, [&](const Vector& dense, const Vector& rows) {
    const Vector x0 = joined(plain.mlp("bottom", 1, dense, true), rows);
    Vector x = x0;
    for (int layer = 0; layer < 3; ++layer) {
      const std::string number = std::to_string(layer);
      const Vector low = plain.linear("cross." + number + ".0", x, false);
      const Vector factor = plain.linear("spread." + number + ".0", low, false);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += x0[i] * factor[i];
    }
    return plain.mlp("top", 2, x, false)[0];
  });
}

// First order: each row's first number. Second: the products of all pairs of vectors, one by one. And an MLP.
TEST(Formulas, DeepFmAddsWeightsPairsAndAnMlp) {
  const auto model = make_model(DeepFmConfig{.deep = {6, 1}}, kShape, 15);
  const Plain plain(*model);
  expect_formula(*model, [&](const Vector& /*dense*/, const Vector& rows) {
    double logit = static_cast<double>(plain.numbers("bias")[0]);
    Vector vectors;
    for (std::size_t t = 0; t < 3; ++t) {
      logit += rows[3 * t];
      vectors.insert(vectors.end(), {rows[3 * t + 1], rows[3 * t + 2]});
    }
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < a; ++b) logit += dot(vectors, a, b, 2);
    }
    return logit + plain.mlp("deep", 2, vectors, false)[0];
  });
}

// ---- where numbers start

double deviation(std::span<const float> numbers) {
  double sum = 0;
  double squares = 0;
  for (const float number : numbers) {
    sum += static_cast<double>(number);
    squares += static_cast<double>(number) * static_cast<double>(number);
  }
  const double mean = sum / static_cast<double>(numbers.size());
  return std::sqrt(squares / static_cast<double>(numbers.size()) - mean * mean);
}

// As DLRM's: weights with variance 2 / (in + out), biases with 1 / out.
TEST(InitialNumbers, FollowTheSizesOfTheLayer) {
  const auto model = make_model(DlrmConfig{.bottom = {4, 400, 3}, .top = {600, 300, 1}}, kShape, 1);
  const Plain plain(*model);
  EXPECT_NEAR(deviation(plain.numbers("top.1.weight")), std::sqrt(2.0 / 900), 0.01 * std::sqrt(2.0 / 900));
  EXPECT_NEAR(deviation(plain.numbers("bottom.0.weight")), std::sqrt(2.0 / 404), 0.1 * std::sqrt(2.0 / 404));
  EXPECT_NEAR(deviation(plain.numbers("top.0.bias")), std::sqrt(1.0 / 600), 0.1 * std::sqrt(1.0 / 600));
}

TEST(InitialNumbers, DependOnTheSeedAndTheNameAlone) {
  Parameters one(5);
  Parameters other(5);
  Parameters seeded(6);
  one.add("first", 10, 1);
  const std::int64_t in_one = one.add("shared", 40, 1);
  const std::int64_t in_other = other.add("shared", 40, 1);
  const std::int64_t in_seeded = seeded.add("shared", 40, 1);
  EXPECT_TRUE(std::equal(one.value(in_one), one.value(in_one) + 40, other.value(in_other)));
  EXPECT_FALSE(std::equal(one.value(in_one), one.value(in_one) + 40, seeded.value(in_seeded)));
  EXPECT_FALSE(std::equal(one.value(0), one.value(0) + 10, one.value(in_one)));
}

TEST(InitialNumbers, EntriesBeginAtCacheLinesAndWhatLiesBetweenIsZero) {
  Parameters parameters(5);
  EXPECT_EQ(parameters.add("a", 3, 1), 0);
  EXPECT_EQ(parameters.add("b", 17, 1), 16);
  EXPECT_EQ(parameters.add("c", 1, 0), 48);
  EXPECT_EQ(parameters.size(), 49);
  for (std::size_t i = 3; i < 16; ++i) EXPECT_EQ(parameters.values()[i], 0) << i;
  for (std::size_t i = 33; i < 49; ++i) EXPECT_EQ(parameters.values()[i], 0) << i;
  EXPECT_EQ(parameters.entries()[1], (Parameters::Entry{"b", 16, 17}));
  EXPECT_EQ(parameters.gradients().size(), 49U);
}

// ---- what does not fit

std::string refusal(const ModelConfig& config, const ModelShape& shape = kShape) {
  return user_error([&] { validate(config, shape); });
}

TEST(ModelErrors, NameTheKeyAndTheNumber) {
  EXPECT_EQ(refusal(DeepFmConfig{.deep = {6, 2}}), "model.mlp_top: ends with 2, not with 1");
  EXPECT_EQ(refusal(DeepFmConfig{}, {.dense_features = 4, .dims = {1, 1}}),
            "tables.dim: is 1; DeepFM needs a weight and a vector in every row");
  EXPECT_NE(refusal(WideAndDeepConfig{.deep = {13, 6}}).find("model.mlp_bottom"), std::string::npos);
  EXPECT_NE(refusal(DlrmConfig{.bottom = {4, 8}, .top = {1}}).find("8"), std::string::npos);
  EXPECT_NE(
      user_error([] { make_model(ExternalConfig{}, kShape, 1); }).find("start the trainers from Python"),
      std::string::npos);
}

TEST(ModelErrors, WhatFitsIsNotRefused) {
  EXPECT_EQ(refusal(DlrmConfig{.bottom = {4, 3}, .top = {1}}), "");
  EXPECT_EQ(refusal(WideAndDeepConfig{.deep = {4, 2}}), "");
  EXPECT_EQ(refusal(DcnConfig{.bottom = {4, 3}, .top = {1}}), "");
  EXPECT_EQ(refusal(DeepFmConfig{.deep = {1}}), "");
}

TEST(ModelNames, SayWhatTheLayersAre) {
  EXPECT_EQ(describe(DlrmConfig{.bottom = {4, 3}, .top = {8, 1}, .interaction_itself = true}),
            "dlrm 4-3 dot itself 8-1");
  EXPECT_EQ(describe(DlrmConfig{.bottom = {4, 3}, .top = {1}, .interaction = Interaction::cat}),
            "dlrm 4-3 cat 1");
  EXPECT_EQ(describe(DcnConfig{.bottom = {4, 3}, .top = {1}, .cross_layers = 5, .rank = 6}), "dcn 4-3 5x6 1");
  EXPECT_EQ(describe(WideAndDeepConfig{.deep = {4, 2}}), "wide_and_deep 4-2");
  EXPECT_EQ(describe(DeepFmConfig{.deep = {9, 1}}), "deep_fm 9-1");
  EXPECT_EQ(describe(ExternalConfig{}), "external");
}

}  // namespace
}  // namespace overture::train
