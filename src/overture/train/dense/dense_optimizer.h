// SGD, Adagrad and Adam on the parameters of the dense part, number by number.
#pragma once

#include <cstdint>
#include <span>

#include "overture/embedding/optimizer.h"
#include "overture/train/dense/floats.h"
#include "overture/train/dense/matrix.h"
#include "overture/train/dense/parameters.h"

namespace overture::train {

// Parameters from the first of these to before the second.
struct ParameterRange {
  std::int64_t from;
  std::int64_t to;
};

class DenseOptimizer {
 public:
  DenseOptimizer(const embedding::OptimizerConfig& config, std::int64_t parameters);

  // `step` counts from 0.
  void apply(Parameters& parameters, const ParameterRange& which, std::int64_t step, Workers& workers);

  // What a checkpoint must hold besides the parameters.
  std::span<float> state() { return state_; }

 private:
  embedding::OptimizerConfig config_;
  Floats state_;
};

}  // namespace overture::train
