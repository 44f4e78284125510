// Which model is trained, as data. A new model is one file beside this one and a line in each of the two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "overture/train/dense/caser.h"
#include "overture/train/dense/dcn.h"
#include "overture/train/dense/deep_fm.h"
#include "overture/train/dense/dense_model.h"
#include "overture/train/dense/dlrm.h"
#include "overture/train/dense/fgcnn.h"
#include "overture/train/dense/wide_and_deep.h"

namespace overture::train {

// A model that another program computes; make_model() has none.
struct ExternalConfig {};
inline void validate(const ExternalConfig& /*config*/, const ModelShape& /*shape*/) {}

using ModelConfig = std::variant<DlrmConfig, WideAndDeepConfig, DcnConfig, DeepFmConfig, FgcnnConfig,
                                 CaserConfig, ExternalConfig>;

// "dlrm 13-512-256-64-16 dot 512-256-1": the same text, the same parameters.
std::string describe(const ModelConfig& config);

// Both throw UserError when the model does not fit the data.
void validate(const ModelConfig& config, const ModelShape& shape);
std::unique_ptr<DenseModel> make_model(const ModelConfig& config, const ModelShape& shape,
                                       std::uint64_t seed);

}  // namespace overture::train
