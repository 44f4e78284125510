// DLRM (Naumov et al., 2019): a bottom MLP on the dense features, an interaction of its output with the
// pooled rows, and a top MLP whose last output is the logit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/model/dlrm.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

using model::Interaction;

struct DlrmConfig {
  static constexpr std::string_view kWord = "dlrm";

  std::vector<int> bottom{13, 512, 256, 64, 16};  // from the dense features to a row
  std::vector<int> top{512, 256, 1};              // behind the interaction, whose width comes first by itself
  Interaction interaction = Interaction::dot;
  bool interaction_itself = false;

  static constexpr auto kBottom = &DlrmConfig::bottom;  // what model.mlp_bottom gives
  static constexpr auto kTop = &DlrmConfig::top;        // what model.mlp_top gives
  void end_bottom_with(int columns) { bottom.back() = columns; }

  std::string describe() const;
  // Both throw UserError when the layers do not fit together or to the data.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const DlrmConfig&) const = default;

  template <class V>
  static void keys(V& v, DlrmConfig& c) {
    v.field("interaction", c.interaction,
            "dlrm: products of all pairs of vectors, or all vectors side by side");
    v.field("interaction_itself", c.interaction_itself, "dlrm: dot also multiplies every vector with itself");
  }
};

}  // namespace overture::train
