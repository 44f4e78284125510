// DCN v2 with low rank (Wang et al., 2021): an MLP on the dense features, whose output stands beside all
// pooled rows as x_0; cross layers x_{l+1} = x_0 * (W (V x_l) + b) + x_l; and an MLP on what they give.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct DcnConfig {
  static constexpr std::string_view kWord = "dcn";

  std::vector<int> bottom{13, 1024, 512, 256, 64, 48};
  std::vector<int> top{1024, 512, 256, 1};  // behind the cross layers, whose width comes first by itself
  int cross_layers = 2;
  int rank = 8;

  static constexpr auto kBottom = &DcnConfig::bottom;  // what model.mlp_bottom gives
  static constexpr auto kTop = &DcnConfig::top;        // what model.mlp_top gives

  std::string describe() const;
  // Both throw UserError when the layers do not fit together or to the data.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const DcnConfig&) const = default;

  template <class V>
  static void keys(V& v, DcnConfig& c) {
    v.field("cross_layers", c.cross_layers, "dcn: number of cross layers");
    v.field("rank", c.rank, "dcn: rank of a cross layer");
  }
};

}  // namespace overture::train
