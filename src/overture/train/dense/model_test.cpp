#include "overture/base/error.h"
#include "overture/train/dense/models.h"
#include "overture/train/dense/testing.h"

namespace overture::train {
namespace {

const ModelShape kShape{.dense_features = 4, .dims = {4, 4, 4}};

TEST(Dlrm, GradientsAreThoseOfTheLoss) {
  for (const Interaction interaction : {Interaction::dot, Interaction::cat}) {
    for (const bool itself : {false, true}) {
      const auto model = make_model(
          DlrmConfig{
              .bottom = {4, 6, 4}, .top = {8, 1}, .interaction = interaction, .interaction_itself = itself},
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
      FgcnnConfig{.channels = {3, 2, 4}, .top = {6, 1}},
      FgcnnConfig{.channels = {2}, .top = {1}},
  };
  for (const ModelConfig& config : configs) {
    SCOPED_TRACE(config.index());
    const auto model = make_model(config, kShape, 11);
    expect_right_gradients(*model, {});
  }
}

TEST(Caser, GradientsAreThoseOfTheLoss) {
  const ModelShape shape{.dense_features = 4, .dims = {4, 4, 4, 4, 4, 9}};
  for (const CaserConfig& config : {CaserConfig{.horizontal_filters = 5, .vertical_filters = 3},
                                    CaserConfig{.horizontal_filters = 1, .vertical_filters = 1}}) {
    const auto model = make_model(config, shape, 11);
    expect_right_gradients(*model, {.width = shape.width()});
  }
}

TEST(Models, ThoseThatDoNotFitAreUserErrors) {
  EXPECT_THROW(make_model(WideAndDeepConfig{.deep = {13, 6}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DcnConfig{.bottom = {4, 6}, .top = {2}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DcnConfig{.bottom = {4, 6}, .top = {1}, .rank = 0}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DeepFmConfig{}, {.dense_features = 4, .dims = {4, 5}}, 1), UserError);
  EXPECT_THROW(make_model(DeepFmConfig{}, {.dense_features = 4, .dims = {1, 1}}, 1), UserError);
  EXPECT_THROW(make_model(FgcnnConfig{}, {.dense_features = 4, .dims = {4, 5}}, 1), UserError);
  EXPECT_THROW(make_model(FgcnnConfig{.channels = {}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(FgcnnConfig{.top = {4, 2}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(CaserConfig{}, kShape, 1), UserError);
  EXPECT_THROW(make_model(CaserConfig{}, {.dims = {4, 9}}, 1), UserError);
  EXPECT_THROW(make_model(CaserConfig{.vertical_filters = 0}, {.dims = {4, 4, 9}}, 1), UserError);
}

// Everything that a model computes of 700 samples.
std::vector<float> results(const ModelConfig& config, const ModelShape& shape, int threads) {
  constexpr std::int64_t kSamples = 700;
  const auto model = make_model(config, shape, 5);
  Workers workers(threads);
  const auto dense = random_floats(kSamples * shape.dense_features, "dense");
  const auto embeddings = random_floats(kSamples * shape.width(), "embeddings");
  std::vector<float> logits(kSamples);
  const ModelInput input{.samples = kSamples, .dense = dense.data(), .embeddings = embeddings.data()};
  model->forward(input, logits, workers);
  std::vector<float> gradients(embeddings.size());
  model->backward(input, logits, gradients, workers);
  std::vector<float> all;
  for (const std::span<float> part :
       {std::span(logits), std::span(gradients), model->parameters().gradients()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Models, AnyNumberOfThreadsGivesTheSameBits) {
  const ModelShape with_items{.dense_features = 4, .dims = {4, 4, 4, 9}};
  const std::pair<ModelConfig, ModelShape> cases[] = {
      {DlrmConfig{.bottom = {4, 300, 4}, .top = {260, 1}}, kShape},
      {WideAndDeepConfig{.deep = {4, 6, 5}}, kShape},
      {DcnConfig{.bottom = {4, 6, 3}, .top = {7, 1}}, kShape},
      {DeepFmConfig{.deep = {6, 1}}, kShape},
      {FgcnnConfig{.channels = {3, 2}, .top = {300, 1}}, kShape},
      {CaserConfig{.horizontal_filters = 20, .vertical_filters = 3}, with_items},
  };
  for (const auto& [config, shape] : cases)
    EXPECT_TRUE(results(config, shape, 1) == results(config, shape, 3)) << describe(config);
}

TEST(Dlrm, LayersThatDoNotFitAreUserErrors) {
  EXPECT_THROW(make_model(DlrmConfig{.bottom = {13, 4}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DlrmConfig{.bottom = {4, 8}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DlrmConfig{.bottom = {4, 4}, .top = {2}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DlrmConfig{.bottom = {4, 0, 4}, .top = {1}}, kShape, 1), UserError);
  EXPECT_THROW(make_model(DlrmConfig{.bottom = {4}, .top = {1}}, kShape, 1), UserError);
}

}  // namespace
}  // namespace overture::train
