// Which model is trained, as data. A new model is one file beside this one, a word in the variant and an
// include.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "overture/base/words.h"
#include "overture/train/dense/caser.h"
#include "overture/train/dense/dcn.h"
#include "overture/train/dense/deep_fm.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/dlrm.h"
#include "overture/train/dense/fgcnn.h"
#include "overture/train/dense/wide_and_deep.h"

namespace overture::train {

// What a model's configuration must have. It may have more: `kBottom` and `kTop`, which of its lists of
// layers model.mlp_bottom and model.mlp_top of a setup fill, and keys() of its own.
template <class T>
concept TrainedModel = requires(const T& config, const ModelShape& shape, std::uint64_t seed) {
  { T::kWord } -> std::convertible_to<std::string_view>;  // after model.kind in setups
  // "dlrm 13-512-256-64-16 dot 512-256-1": the same text, the same parameters.
  { config.describe() } -> std::same_as<std::string>;
  // Throws UserError when the model does not fit the data, as make() does.
  config.validate(shape);
  { config.make(shape, seed) } -> std::same_as<std::unique_ptr<DenseModel>>;
};

// A model that another program computes: make() throws UserError.
struct ExternalConfig {
  static constexpr std::string_view kWord = "external";

  std::string describe() const { return "external"; }
  void validate(const ModelShape& /*shape*/) const {}
  std::unique_ptr<DenseModel> make(const ModelShape& shape, std::uint64_t seed) const;
};

// The variant of these models, and one of each with its defaults.
template <TrainedModel... One>
struct ModelList {
  using Any = std::variant<One...>;
  using All = std::tuple<One...>;
};
using Models = ModelList<DlrmConfig, WideAndDeepConfig, DcnConfig, DeepFmConfig, FgcnnConfig, CaserConfig,
                         ExternalConfig>;
using ModelConfig = Models::Any;

inline std::string describe(const ModelConfig& config) {
  return std::visit([](const auto& model) { return model.describe(); }, config);
}
inline void validate(const ModelConfig& config, const ModelShape& shape) {
  std::visit([&](const auto& model) { model.validate(shape); }, config);
}
inline std::unique_ptr<DenseModel> make_model(const ModelConfig& config, const ModelShape& shape,
                                              std::uint64_t seed) {
  return std::visit([&](const auto& model) { return model.make(shape, seed); }, config);
}

}  // namespace overture::train
