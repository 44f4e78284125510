// DCN v2 with low rank (Wang et al., 2021): an MLP on the dense features, whose output stands beside all
// pooled rows as x_0; cross layers x_{l+1} = x_0 * (W (V x_l) + b) + x_l; and an MLP on what they give.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct DcnConfig {
  std::vector<int> bottom{13, 1024, 512, 256, 64, 48};
  std::vector<int> top{1024, 512, 256, 1};  // behind the cross layers, whose width comes first by itself
  int cross_layers = 2;
  int rank = 8;

  bool operator==(const DcnConfig&) const = default;
};

// Both throw UserError when the layers do not fit together or to the data.
void validate(const DcnConfig& config, const ModelShape& shape);
std::unique_ptr<DenseModel> make_dcn(const DcnConfig& config, const ModelShape& shape, std::uint64_t seed);

}  // namespace overture::train
