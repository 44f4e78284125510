#include "overture/base/error.h"
#include "overture/train/dense/models.h"
#include "overture/train/dense/testing.h"

namespace overture::train {
namespace {

const ModelShape kShape{.dense_features = 4, .dims = {4, 4, 4}};

TEST(Dlrm, GradientsAreThoseOfTheLoss) {
  for (const Interaction interaction : {Interaction::dot, Interaction::cat}) {
    for (const bool itself : {false, true}) {
      const auto model = make_dlrm(
          {.bottom = {4, 6, 4}, .top = {8, 1}, .interaction = interaction, .interaction_itself = itself},
          kShape, 11);
      expect_right_gradients(*model, {});
    }
  }
}

TEST(Models, GradientsAreThoseOfTheLoss) {
  const ModelConfig configs[] = {
      WideAndDeepConfig{.deep = {4, 6, 5}},
      DcnConfig{.bottom = {4, 6, 3}, .top = {7, 1}, .cross_layers = 3, .rank = 2},
      DeepFmConfig{.deep = {6, 1}},
  };
  for (const ModelConfig& config : configs) {
    SCOPED_TRACE(config.index());
    const auto model = make_model(config, kShape, 11);
    expect_right_gradients(*model, {});
  }
}

TEST(Models, ThoseThatDoNotFitAreUserErrors) {
  EXPECT_THROW(make_model(WideAndDeepConfig{.deep = {13, 6}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DcnConfig{.bottom = {4, 6}, .top = {2}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DcnConfig{.bottom = {4, 6}, .top = {1}, .rank = 0}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DeepFmConfig{}, {.dense_features = 4, .dims = {4, 5}}, 1), UserError);
  EXPECT_THROW(make_model(DeepFmConfig{}, {.dense_features = 4, .dims = {1, 1}}, 1), UserError);
}

TEST(Dlrm, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<float> results[2];
  constexpr std::int64_t kSamples = 700;
  for (int i = 0; i < 2; ++i) {
    const auto model = make_dlrm({.bottom = {4, 300, 4}, .top = {260, 1}}, kShape, 5);
    Workers workers(1 + 2 * i);
    const auto dense = random_floats(kSamples * 4, "dense");
    const auto embeddings = random_floats(kSamples * 12, "embeddings");
    std::vector<float>& all = results[i];
    std::vector<float> logits(kSamples);
    const ModelInput input{.samples = kSamples, .dense = dense.data(), .embeddings = embeddings.data()};
    model->forward(input, logits, workers);
    std::vector<float> gradients(kSamples * 12);
    model->backward(input, logits, gradients, workers);
    for (const std::span<float> part :
         {std::span(logits), std::span(gradients), model->parameters().gradients()})
      all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Dlrm, LayersThatDoNotFitAreUserErrors) {
  EXPECT_THROW(make_dlrm({.bottom = {13, 4}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_dlrm({.bottom = {4, 8}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_dlrm({.bottom = {4, 4}, .top = {2}}, kShape, 1), UserError);
  EXPECT_THROW(make_dlrm({.bottom = {4, 0, 4}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_dlrm({.bottom = {4}, .top = {1}}, kShape, 1), UserError);
}

}  // namespace
}  // namespace overture::train
