#include "overture/train/learner.h"

#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/train/dense/loss.h"

namespace overture::train {

Learner::Learner(const TrainConfig& config)
    : dense_features_(config.dense_features),
      workers_(config.threads),
      model_(make_model(config.model, config.shape(), config.seed)),
      optimizer_(config.dense_optimizer, model_->parameters().size()) {}

ModelInput Learner::forward(const StepPart& part, std::span<const float> pooled, std::int64_t step,
                            bool training) {
  const std::int64_t samples = part.head.samples;
  if (std::ssize(part.dense) != samples * dense_features_) {
    throw UserError(fmt::format("the data has {} dense features, the model {}",
                                samples == 0 ? 0 : std::ssize(part.dense) / samples, dense_features_));
  }
  logits_.resize(static_cast<std::size_t>(samples));
  const ModelInput input{.samples = samples,
                         .dense = part.dense.data(),
                         .embeddings = pooled.data(),
                         .step = step,
                         .training = training};
  model_->forward(input, logits_, workers_);
  workers_.done(Work::model, {samples, 0, 0});
  return input;
}

double Learner::learn(const StepPart& part, std::span<const float> pooled, std::int64_t step) {
  const ModelInput input = forward(part, pooled, step, true);
  logit_gradients_.resize(logits_.size());
  pooled_gradients_.resize(pooled.size());
  const double loss = cross_entropy(logits_, part.labels, part.head.global_samples, logit_gradients_);
  if (!std::isfinite(loss)) {
    throw UserError(fmt::format("the loss is not a number at step {}", step),
                    "lower the learning rate, and look for infinite or missing dense features in the data");
  }
  workers_.done(Work::model, {0, part.head.samples, 0});
  model_->backward(input, logit_gradients_, pooled_gradients_, workers_);
  workers_.done(Work::model, {0, 0, part.head.samples});
  return loss;
}

std::span<const float> Learner::predict(const StepPart& part, std::span<const float> pooled) {
  forward(part, pooled, 0, false);
  return logits_;
}

void Learner::update_dense(std::int64_t step, const Block& which) {
  optimizer_.apply(parameters(), {which.begin, which.end}, step, workers_);
  workers_.done(Work::update_dense, {which.end - which.begin, 0, 0});
}

}  // namespace overture::train
