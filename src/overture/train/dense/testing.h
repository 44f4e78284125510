// For the tests of models: the gradients that a model gives, against those that small changes of its numbers
// show.
#pragma once

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/loss.h"

namespace overture::train {

struct ModelCase {
  std::int64_t samples = 9;
  std::int64_t dense_features = 4;
  std::int64_t width = 12;
};

inline std::vector<float> random_floats(std::int64_t count, const char* name) {
  RandomStream random = RandomStreams(3).make(name);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& number : result) number = static_cast<float>(random.unit() - 0.5);
  return result;
}

// Every hundredth number or so; the tolerance is that of a difference of floats.
inline void expect_right_gradients(DenseModel& model, const ModelCase& c) {
  Workers workers;
  const auto dense = random_floats(c.samples * c.dense_features, "dense");
  auto embeddings = random_floats(c.samples * c.width, "embeddings");
  std::vector<float> labels(static_cast<std::size_t>(c.samples));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<float>(i % 2);
  std::vector<float> logits(labels.size());
  std::vector<float> gradients(labels.size());
  const ModelInput input{.samples = c.samples, .dense = dense.data(), .embeddings = embeddings.data()};
  const auto loss = [&] {
    model.forward(input, logits, workers);
    return cross_entropy(logits, labels, 1, gradients);
  };
  std::vector<float> embedding_gradients(embeddings.size());
  loss();
  model.backward(input, gradients, embedding_gradients, workers);
  const std::vector<float> parameter_gradients(model.parameters().gradients().begin(),
                                               model.parameters().gradients().end());
  const auto expect_slope = [&](float& number, float gradient, const std::string& what) {
    const float before = number;
    constexpr float kChange = 1e-4f;  // a larger one would cross the kinks of ReLU and of maxima
    number = before + kChange;
    const double up = loss();
    number = before - kChange;
    const double down = loss();
    number = before;
    EXPECT_NEAR((up - down) / (2 * static_cast<double>(kChange)), static_cast<double>(gradient),
                0.003 + 0.01 * std::abs(static_cast<double>(gradient)))
        << what;
  };
  for (std::size_t i = 0; i < embeddings.size(); i += 7)
    expect_slope(embeddings[i], embedding_gradients[i], "embedding " + std::to_string(i));
  for (const Parameters::Entry& entry : model.parameters().entries()) {
    const std::int64_t stride = 1 + entry.size / 6;
    for (std::int64_t i = 0; i < entry.size; i += stride) {
      const auto at = static_cast<std::size_t>(entry.start + i);
      expect_slope(model.parameters().values()[at], parameter_gradients[at],
                   entry.name + " " + std::to_string(i));
    }
  }
}

}  // namespace overture::train
