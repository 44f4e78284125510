#include "overture/train/dense/dense_optimizer.h"

#include <cmath>

namespace overture::train {
namespace {

using embedding::OptimizerKind;

constexpr std::int64_t kAtOnce = 1 << 14;

std::int64_t state_size(OptimizerKind kind, std::int64_t parameters) {
  switch (kind) {
    case OptimizerKind::sgd: return 0;
    case OptimizerKind::adagrad: return parameters;
    case OptimizerKind::adam: return 2 * parameters;
  }
  return 0;
}

}  // namespace

DenseOptimizer::DenseOptimizer(const embedding::OptimizerConfig& config, std::int64_t parameters)
    : config_(config), state_(static_cast<std::size_t>(state_size(config.kind, parameters)), 0.0f) {}

void DenseOptimizer::apply(Parameters& parameters, const ParameterRange& which, std::int64_t step,
                           Workers& workers) {
  const embedding::UpdateRule rule = update_rule(config_, step);
  float* const values = parameters.values().data();
  const float* const gradients = parameters.gradients().data();
  float* const first = state_.data();
  float* const second = first + (rule.kind == OptimizerKind::adam ? parameters.size() : 0);
  workers.ranges(which.to - which.from, kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t from = which.from + begin;
    const std::int64_t to = which.from + end;
    if (rule.kept != 1) {
      for (std::int64_t i = from; i < to; ++i) values[i] *= rule.kept;
    }
    switch (rule.kind) {
      case OptimizerKind::sgd:
        for (std::int64_t i = from; i < to; ++i) values[i] -= rule.learning_rate * gradients[i];
        break;
      case OptimizerKind::adagrad:
        for (std::int64_t i = from; i < to; ++i) {
          first[i] += gradients[i] * gradients[i];
          values[i] -= rule.learning_rate * gradients[i] / (std::sqrt(first[i]) + rule.epsilon);
        }
        break;
      case OptimizerKind::adam:
        for (std::int64_t i = from; i < to; ++i) {
          first[i] = rule.beta1 * first[i] + (1 - rule.beta1) * gradients[i];
          second[i] = rule.beta2 * second[i] + (1 - rule.beta2) * gradients[i] * gradients[i];
          values[i] -=
              rule.step_size * first[i] / (std::sqrt(second[i]) * rule.inverse_root_of_decay + rule.epsilon);
        }
        break;
    }
  });
}

}  // namespace overture::train
