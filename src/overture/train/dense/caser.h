// Caser (Tang and Wang, 2018): does a user take an item, after the items taken before? The first table holds
// users, the last the items to decide on, those between the items before, oldest first. Filters over
// neighbouring items and over single columns make a vector of the sequence; beside the user's, it is
// multiplied by the item's. An item to decide on has a bias, then a factor for every number of both vectors:
// its rows are twice as wide as the others, and one more. Each place in the sequence has a table of its own,
// where Bagpipe's share one, and there is no dropout.
#pragma once

#include <cstdint>
#include <memory>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct CaserConfig {
  int horizontal_filters = 64;  // for every number of neighbouring items
  int vertical_filters = 16;

  bool operator==(const CaserConfig&) const = default;
};

// Columns of an item to decide on, when other rows have `dim`.
constexpr std::int32_t caser_item_dim(std::int32_t dim) { return 2 * dim + 1; }

// Both throw UserError when tables or filters do not fit.
void validate(const CaserConfig& config, const ModelShape& shape);
std::unique_ptr<DenseModel> make_caser(const CaserConfig& config, const ModelShape& shape,
                                       std::uint64_t seed);

}  // namespace overture::train
