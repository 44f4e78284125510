// Learner: the compute part of a trainer: pools rows, runs the model forward and backward, and changes
// parameters and rows. Knows where rows lie only as pointers, so it is the same with a cache and without.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "overture/embedding/lookups.h"
#include "overture/train/config.h"
#include "overture/train/dense/dense_optimizer.h"
#include "overture/train/step_part.h"

namespace overture::train {

class Learner {
 public:
  // Throws UserError when model and tables do not fit together.
  explicit Learner(const TrainConfig& config);

  // Forward and backward; `rows` are those of the part, by number. Returns the loss summed over the part.
  // Afterwards the parameters' gradients are those of this part alone. Throws UserError when the loss is not
  // a number.
  double learn(const StepPart& part, std::span<float* const> rows, std::int64_t step);
  // Only forward: a logit per sample.
  std::span<const float> predict(const StepPart& part, std::span<float* const> rows);

  // Changes the parameters by their gradients.
  void update_dense(std::int64_t step);
  // Changes the rows of the last part by their gradients, or gives those, dim numbers each.
  void update_rows(std::span<float* const> rows, std::int64_t step);
  void sum_gradients(std::span<float* const> sums);

  Parameters& parameters() { return model_->parameters(); }
  DenseOptimizer& optimizer() { return optimizer_; }
  Workers& workers() { return workers_; }

 private:
  ModelInput forward(const StepPart& part, std::span<float* const> rows, std::int64_t step, bool training);

  embedding::TablesConfig tables_;
  std::int64_t dense_features_;
  Workers workers_;
  std::unique_ptr<DenseModel> model_;
  DenseOptimizer optimizer_;
  embedding::Lookups lookups_;
  Floats pooled_;
  Floats pooled_gradients_;
  Floats logits_;
  Floats logit_gradients_;
};

}  // namespace overture::train
