#include "overture/embedding/optimizer.h"

#include <algorithm>
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

double scale_of_warmup(const RateSchedule& schedule, std::int64_t count) {
  return static_cast<double>(count) / static_cast<double>(schedule.warmup_steps);
}

double scale_of_decay(const RateSchedule& schedule, std::int64_t decayed) {
  const double left =
      static_cast<double>(schedule.decay_steps - decayed) / static_cast<double>(schedule.decay_steps);
  return left * left;
}

void validate(const RateSchedule& schedule, std::string_view section) {
  const auto not_negative = [&](const char* key, int value) {
    if (value < 0)
      throw UserError({.key = fmt::format("{}.{}", section, key)}, fmt::format("{} is negative", value));
  };
  not_negative("warmup_steps", schedule.warmup_steps);
  not_negative("decay_start", schedule.decay_start);
  not_negative("decay_steps", schedule.decay_steps);
  if (schedule.decay_steps > 0 && schedule.decay_start < schedule.warmup_steps)
    throw UserError({.key = fmt::format("{}.decay_start", section)},
                    fmt::format("{} is before the {} steps of the warm-up end", schedule.decay_start,
                                schedule.warmup_steps),
                    "start the decay after the warm-up");
}

}  // namespace

void validate(const OptimizerConfig& config, std::string_view section) {
  within(section, "learning_rate", config.learning_rate, 0, 1e6);
  within(section, "weight_decay", config.weight_decay, 0, 1e6);
  if (config.learning_rate * config.weight_decay >= 1)
    throw UserError({.key = fmt::format("{}.weight_decay", section)},
                    fmt::format("{} times the learning rate of {} is 1 or more: nothing would be left",
                                config.weight_decay, config.learning_rate),
                    "such as 0.0001");
  validate(config.schedule, section);
  within(section, "epsilon", config.epsilon, 0, 1);
  within(section, "beta1", config.beta1, 0, 1);
  within(section, "beta2", config.beta2, 0, 1);
}

double learning_rate(const OptimizerConfig& config, std::int64_t step) {
  constexpr double kLeast = 1e-7;  // of a decayed rate, as in DLRM
  const RateSchedule& s = config.schedule;
  const double base = config.learning_rate;
  const std::int64_t count = step + 1;  // PyTorch's schedulers count from 1
  const bool decays = s.decay_steps > 0;
  if (count < s.warmup_steps) return base * scale_of_warmup(s, count);
  if (!decays) return base;
  if (count < s.decay_start) return s.warmup_steps > 1 ? base * scale_of_warmup(s, s.warmup_steps - 1) : base;
  const std::int64_t decayed = std::min<std::int64_t>(count - s.decay_start, s.decay_steps - 1);
  return std::max(kLeast, base * scale_of_decay(s, decayed));
}

UpdateRule update_rule(const OptimizerConfig& config, std::int64_t step) {
  const auto t = static_cast<double>(step + 1);
  const double rate = learning_rate(config, step);
  return {.kind = config.kind,
          .learning_rate = static_cast<float>(rate),
          .epsilon = static_cast<float>(config.epsilon),
          .beta1 = static_cast<float>(config.beta1),
          .beta2 = static_cast<float>(config.beta2),
          .step_size = static_cast<float>(rate / (1 - std::pow(config.beta1, t))),
          .inverse_root_of_decay = static_cast<float>(1 / std::sqrt(1 - std::pow(config.beta2, t))),
          .kept = static_cast<float>(1 - rate * config.weight_decay)};
}

RowLayout row_layout(OptimizerKind kind, std::int32_t dim) {
  const std::int32_t state = state_floats(kind, dim);
  return {.dim = dim, .state = state, .stride = (dim + state + 3) / 4 * 4};
}

}  // namespace overture::embedding
