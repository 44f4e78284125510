#include <gtest/gtest.h>

#include "overture/workload/training_loop.h"

namespace overture::workload {
namespace {

using enum PassKind;

// Which of three dimensions a collective spans, as "+--". The model-parallel group fills the first two.
std::string span_of(Parallelism parallelism, PassKind kind, int layer = 0,
                    Parallelism own = Parallelism::data) {
  Workload workload{.parallelism = parallelism};
  for (int i = 0; i < 2; ++i) workload.layers.push_back({.name = "layer", .parallelism = own});
  const system::LogicalDimensions logical{.dimensions = {{2, 1, 0}, {2, 2, 1}, {2, 4, 2}},
                                          .model_dimensions = 2};
  std::string text;
  for (const bool spans : dimensions_of(workload, layer, kind, logical)) text += spans ? '+' : '-';
  return text;
}

void expect_spans(Parallelism parallelism, const std::string& activations, const std::string& weights) {
  EXPECT_EQ(span_of(parallelism, forward), activations);
  EXPECT_EQ(span_of(parallelism, input_gradient), activations);
  EXPECT_EQ(span_of(parallelism, weight_gradient), weights);
  EXPECT_EQ(span_of(parallelism, forward, 1), activations);
}

TEST(DimensionsOf, FollowTheParallelism) {
  expect_spans(Parallelism::micro, "---", "+++");
  expect_spans(Parallelism::data, "---", "+++");
  expect_spans(Parallelism::model, "+++", "---");
  expect_spans(Parallelism::distributed_inference, "+++", "---");
  expect_spans(Parallelism::hybrid_data_model, "+--", "-++");
  expect_spans(Parallelism::hybrid_model_data, "-++", "+--");
  expect_spans(Parallelism::hybrid_transformer, "++-", "--+");
  expect_spans(Parallelism::hybrid_transformer_fwd_in_bckwd, "++-", "--+");
}

TEST(DimensionsOf, OfADlrmSpanAllForTheEmbedding) {
  for (const Parallelism dlrm : {Parallelism::hybrid_dlrm, Parallelism::hybrid_dlrm_enhanced}) {
    EXPECT_EQ(span_of(dlrm, forward, 0), "+++");
    EXPECT_EQ(span_of(dlrm, input_gradient, 0), "+++");
    EXPECT_EQ(span_of(dlrm, forward, 1), "---");
    EXPECT_EQ(span_of(dlrm, weight_gradient, 1), "+++");
  }
}

TEST(DimensionsOf, OfACustomWorkloadFollowTheLayer) {
  for (const Parallelism own : {Parallelism::data, Parallelism::model, Parallelism::hybrid_data_model,
                                Parallelism::hybrid_model_data}) {
    for (const PassKind kind : {forward, input_gradient, weight_gradient}) {
      EXPECT_EQ(span_of(Parallelism::hybrid_customized, kind, 1, own), span_of(own, kind, 1));
    }
  }
}

}  // namespace
}  // namespace overture::workload
