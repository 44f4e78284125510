// Wide & Deep (Cheng et al., 2016) as Bagpipe trains it: an MLP on the dense features, its output beside all
// pooled rows, and one linear layer on both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct WideAndDeepConfig {
  std::vector<int> deep{13, 256, 256, 256};  // from the dense features; no ReLU behind the last

  bool operator==(const WideAndDeepConfig&) const = default;
};

// Both throw UserError when the layers do not fit the data.
void validate(const WideAndDeepConfig& config, const ModelShape& shape);
std::unique_ptr<DenseModel> make_wide_and_deep(const WideAndDeepConfig& config, const ModelShape& shape,
                                               std::uint64_t seed);

}  // namespace overture::train
