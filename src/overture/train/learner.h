// Learner: the dense part of a trainer: runs the model forward and backward on pooled rows, and changes its
// parameters. Knows nothing of tables but how wide they are together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "overture/train/config.h"
#include "overture/train/dense/dense_optimizer.h"
#include "overture/train/step_part.h"

namespace overture::train {

class Learner {
 public:
  // Throws UserError when model and tables do not fit together.
  explicit Learner(const TrainConfig& config);

  // Forward and backward; `pooled` is samples x width of all tables. Returns the loss summed over the part.
  // Afterwards the parameters' gradients are those of this part alone. Throws UserError when the loss is not
  // a number.
  double learn(const StepPart& part, std::span<const float> pooled, std::int64_t step);
  // Of what learn() was given.
  std::span<const float> pooled_gradients() const { return pooled_gradients_; }
  // Only forward: a logit per sample.
  std::span<const float> predict(const StepPart& part, std::span<const float> pooled);

  // Changes the parameters by their gradients: all, or these.
  void update_dense(std::int64_t step) { update_dense(step, {0, parameters().size()}); }
  void update_dense(std::int64_t step, const Block& which);

  Parameters& parameters() { return model_->parameters(); }
  DenseOptimizer& optimizer() { return optimizer_; }
  Workers& workers() { return workers_; }

 private:
  ModelInput forward(const StepPart& part, std::span<const float> pooled, std::int64_t step, bool training);

  std::int64_t dense_features_;
  Workers workers_;
  std::unique_ptr<DenseModel> model_;
  DenseOptimizer optimizer_;
  Floats pooled_gradients_;
  Floats logits_;
  Floats logit_gradients_;
};

}  // namespace overture::train
