// Caser (Tang and Wang, 2018): does a user take an item, after the items taken before? The first table holds
// users, the last the items to decide on, those between the items before, oldest first. Filters over
// neighbouring items and over single columns make a vector of the sequence; beside the user's, it is
// multiplied by the item's. An item to decide on has a bias, then a factor for every number of both vectors:
// its rows are twice as wide as the others, and one more. Each place in the sequence has a table of its own,
// where Bagpipe's share one, and there is no dropout.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct CaserConfig {
  static constexpr std::string_view kWord = "caser";

  int horizontal_filters = 64;  // for every number of neighbouring items
  int vertical_filters = 16;

  std::string describe() const;
  // Both throw UserError when tables or filters do not fit.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const CaserConfig&) const = default;

  template <class V>
  static void keys(V& v, CaserConfig& c) {
    v.field("horizontal_filters", c.horizontal_filters,
            "caser: filters for every number of neighbouring items");
    v.field("vertical_filters", c.vertical_filters, "caser: filters over single columns");
  }
};

// Columns of an item to decide on, when other rows have `dim`.
constexpr std::int32_t caser_item_dim(std::int32_t dim) { return 2 * dim + 1; }

}  // namespace overture::train
