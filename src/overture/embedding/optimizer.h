// How a row changes by its gradient. What an optimizer remembers of a row lies behind the row's numbers, in
// the same memory, so that it costs no second cache miss and travels with the row.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/words.h"

namespace overture::embedding {

enum class OptimizerKind : std::uint8_t {
  sgd,
  adagrad,  // of tables row-wise: one accumulator a row, of the mean square (Mudigere et al., 2021)
  adam,     // of tables lazy: rows that are not looked up do not change (torch.optim.SparseAdam)
};
constexpr auto vocabulary(OptimizerKind) {
  return std::to_array<Word<OptimizerKind>>({
      {OptimizerKind::sgd, "sgd"},
      {OptimizerKind::adagrad, "adagrad"},
      {OptimizerKind::adam, "adam"},
  });
}

// How the learning rate changes over the steps, as facebookresearch/dlrm's LRPolicyScheduler: it rises in a
// line over the warm-up, and falls with the square of what is left of the decay. With a decay, it stays where
// the warm-up and the decay left it.
struct RateSchedule {
  int warmup_steps = 0;  // 0: none
  int decay_start = 0;   // step, after the warm-up
  int decay_steps = 0;   // 0: none

  bool operator==(const RateSchedule&) const = default;
};

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.01;
  RateSchedule schedule{};
  // Every update first multiplies what it changes by 1 - learning_rate * weight_decay, as torch.optim.AdamW.
  // Rows that are not looked up do not change, so that a cache need not know them.
  double weight_decay = 0;
  double epsilon = 1e-8;
  double beta1 = 0.9;    // adam
  double beta2 = 0.999;  // adam

  bool operator==(const OptimizerConfig&) const = default;
};

// Throws UserError that names the value.
void validate(const OptimizerConfig& config, std::string_view section);

// The learning rate of the step `step`, counted from 0.
double learning_rate(const OptimizerConfig& config, std::int64_t step);

// The numbers of one step, in the precision that rows have.
struct UpdateRule {
  OptimizerKind kind;
  float learning_rate;
  float epsilon;
  float beta1;
  float beta2;
  float step_size;              // adam: learning_rate / (1 - beta1^t)
  float inverse_root_of_decay;  // adam: 1 / sqrt(1 - beta2^t)
  float kept = 1;               // of what is updated: 1 - learning_rate * weight_decay
};

// Of the step `step`, counted from 0.
UpdateRule update_rule(const OptimizerConfig& config, std::int64_t step);

// How a row lies in memory: `dim` numbers, `state` more for the optimizer, padded to 16 bytes. More padding
// would cost memory and save nothing: a row that is not a multiple of a cache line touches as many lines.
struct RowLayout {
  std::int32_t dim = 0;
  std::int32_t state = 0;
  std::int32_t stride = 0;  // floats from row to row

  std::int32_t used() const { return dim + state; }  // floats that mean something
  bool operator==(const RowLayout&) const = default;
};

constexpr std::int32_t kWidestRow = 1024;  // dim; none in use comes near

RowLayout row_layout(OptimizerKind kind, std::int32_t dim);

}  // namespace overture::embedding
