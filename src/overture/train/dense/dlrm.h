// DLRM (Naumov et al., 2019): a bottom MLP on the dense features, an interaction of its output with the
// pooled rows, and a top MLP whose last output is the logit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/base/words.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

enum class Interaction : std::uint8_t { dot, cat };
constexpr auto vocabulary(Interaction) {
  return std::to_array<Word<Interaction>>({
      {Interaction::dot, "dot"},
      {Interaction::cat, "cat"},
  });
}

struct DlrmConfig {
  std::vector<int> bottom{13, 512, 256, 64, 16};  // from the dense features to a row
  std::vector<int> top{512, 256, 1};              // behind the interaction, whose width comes first by itself
  Interaction interaction = Interaction::dot;
  bool interaction_itself = false;

  bool operator==(const DlrmConfig&) const = default;
};

// Both throw UserError when the layers do not fit together or to the data.
void validate(const DlrmConfig& config, const ModelShape& shape);
std::unique_ptr<DenseModel> make_dlrm(const DlrmConfig& config, const ModelShape& shape, std::uint64_t seed);

}  // namespace overture::train
