// FGCNN (Liu et al., 2019): convolutions along the fields of a sample make new features beside those it has;
// an MLP takes all of them and the products of all pairs. A field is a table's row, or a dense feature times
// a vector of its own, so data like Criteo has Bagpipe's 39. Unlike there, convolutions are not batch
// normalised: a sample's logit would depend on which others share its trainer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/unit_fields.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct FgcnnConfig {
  static constexpr std::string_view kWord = "fgcnn";

  std::vector<int> channels{14, 16, 18, 20};  // maps of each convolution, which halves the fields
  std::vector<int> top{4096, 2048, 1024, 512, 1};

  static constexpr auto kTop = &FgcnnConfig::top;  // what model.mlp_top gives

  std::string describe() const;
  // Both throw UserError when rows are not of one width or the layers make no sense.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const FgcnnConfig&) const = default;

  template <class V>
  static void keys(V& v, FgcnnConfig& c) {
    v.field("channels", SizesField{c.channels}, "fgcnn: maps of each convolution, such as 14-16-18-20");
  }
};

}  // namespace overture::train
