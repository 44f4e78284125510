#include "overture/train/dense/model_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"

namespace overture::train {
namespace {

constexpr int kMostUnits = 1 << 20;

}  // namespace

void check_layers(const std::string& key, const std::vector<int>& sizes, std::size_t least) {
  if (sizes.size() < least)
    throw UserError({.key = key}, fmt::format("{} has too few layers", fmt::join(sizes, "-")));
  for (const int size : sizes) {
    if (size < 1 || size > kMostUnits)
      throw UserError({.key = key}, fmt::format("a layer of {} in {} is not from 1 to {}", size,
                                                fmt::join(sizes, "-"), kMostUnits));
  }
}

void check_inputs(const std::string& key, const std::vector<int>& sizes, const ModelShape& shape) {
  if (sizes.front() == shape.dense_features) return;
  throw UserError({.key = key}, fmt::format("starts with {}; the data has {} dense features", sizes.front(),
                                            shape.dense_features));
}

std::int32_t common_dim(const std::string& model, const ModelShape& shape) {
  if (shape.dims.empty()) throw UserError(fmt::format("{} needs tables", model));
  for (const std::int32_t dim : shape.dims) {
    if (dim != shape.dims.front()) {
      throw UserError({.key = "tables.dims"}, fmt::format("{} needs rows of one width, not of {} and {}",
                                                          model, shape.dims.front(), dim));
    }
  }
  return shape.dims.front();
}

}  // namespace overture::train
