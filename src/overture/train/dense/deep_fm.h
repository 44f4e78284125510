// DeepFM (Guo et al., 2017): the logit is a sum of a weight for every id (first order), of the products of
// all pairs of rows (a factorization machine), and of an MLP on all rows. A row's first column is its weight,
// the others are its vector; so the weights of 30 million ids are rows like any other, cached and updated
// sparsely. Dense features are left aside, as in Bagpipe; unlike there, the MLP has neither batch
// normalisation nor dropout.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/model_shape.h"

namespace overture::train {

struct DeepFmConfig {
  static constexpr std::string_view kWord = "deep_fm";

  std::vector<int> deep{64, 64, 64, 1};  // behind the vectors of all tables

  static constexpr auto kTop = &DeepFmConfig::deep;  // what model.mlp_top gives

  std::string describe() const;
  // Both throw UserError when rows are not of one width, or have no vector, or the layers make no sense.
  void validate(const ModelShape& shape) const;
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;

  bool operator==(const DeepFmConfig&) const = default;
};

}  // namespace overture::train
