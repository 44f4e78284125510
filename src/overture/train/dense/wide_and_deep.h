// Wide & Deep (Cheng et al., 2016) as Bagpipe trains it: an MLP on the dense features, its output beside all
// pooled rows, and one linear layer on both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct WideAndDeepConfig {
  static constexpr std::string_view kWord = "wide_and_deep";

  std::vector<int> deep{13, 256, 256, 256};  // from the dense features; no ReLU behind the last

  static constexpr auto kBottom = &WideAndDeepConfig::deep;  // what model.mlp_bottom gives

  std::string describe() const;
  // Both throw UserError when the layers do not fit the data.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const WideAndDeepConfig&) const = default;
};

}  // namespace overture::train
