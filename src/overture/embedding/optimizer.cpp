#include "overture/embedding/optimizer.h"

#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::embedding {
namespace {

void within(std::string_view section, std::string_view key, double value, double least, double below) {
  if (value >= least && value < below) return;
  throw UserError({.key = fmt::format("{}.{}", section, key)},
                  fmt::format("{} is not from {} to below {}", value, least, below));
}

std::int32_t state_floats(OptimizerKind kind, std::int32_t dim) {
  switch (kind) {
    case OptimizerKind::sgd: return 0;
    case OptimizerKind::adagrad: return 1;
    case OptimizerKind::adam: return 2 * dim;
  }
  return 0;
}

}  // namespace

void validate(const OptimizerConfig& config, std::string_view section) {
  within(section, "learning_rate", config.learning_rate, 0, 1e6);
  within(section, "epsilon", config.epsilon, 0, 1);
  within(section, "beta1", config.beta1, 0, 1);
  within(section, "beta2", config.beta2, 0, 1);
}

UpdateRule update_rule(const OptimizerConfig& config, std::int64_t step) {
  const auto t = static_cast<double>(step + 1);
  return {.kind = config.kind,
          .learning_rate = static_cast<float>(config.learning_rate),
          .epsilon = static_cast<float>(config.epsilon),
          .beta1 = static_cast<float>(config.beta1),
          .beta2 = static_cast<float>(config.beta2),
          .step_size = static_cast<float>(config.learning_rate / (1 - std::pow(config.beta1, t))),
          .inverse_root_of_decay = static_cast<float>(1 / std::sqrt(1 - std::pow(config.beta2, t)))};
}

RowLayout row_layout(OptimizerKind kind, std::int32_t dim) {
  const std::int32_t state = state_floats(kind, dim);
  return {.dim = dim, .state = state, .stride = (dim + state + 3) / 4 * 4};
}

}  // namespace overture::embedding
