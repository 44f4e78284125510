#include "overture/train/dense/wide_and_deep.h"

#include <algorithm>

#include "overture/train/dense/columns.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

class WideAndDeep : public DenseModel {
 public:
  WideAndDeep(const WideAndDeepConfig& config, const ModelShape& shape, std::uint64_t seed)
      : width_(shape.width()),
        parameters_(seed),
        deep_("deep", config.deep, LastLayer::linear, parameters_),
        both_("both", {static_cast<int>(deep_.outputs() + width_), 1}, LastLayer::linear, parameters_) {}

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    const float* const deep = deep_.forward(input.samples, input.dense, workers);
    joined_.resize(static_cast<std::size_t>(input.samples * both_.inputs()));
    join_columns(input.samples, deep, deep_.outputs(), input.embeddings, width_, joined_.data(), workers);
    const float* const out = both_.forward(input.samples, joined_.data(), workers);
    std::copy_n(out, input.samples, logits.begin());
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    out_gradient_.assign(logit_gradients.begin(), logit_gradients.end());
    joined_gradient_.resize(joined_.size());
    deep_gradient_.resize(static_cast<std::size_t>(input.samples * deep_.outputs()));
    both_.backward(input.samples, joined_.data(), out_gradient_.data(), joined_gradient_.data(), workers);
    split_columns(input.samples, joined_gradient_.data(), deep_gradient_.data(), deep_.outputs(),
                  embedding_gradients.data(), width_, workers);
    deep_.backward(input.samples, input.dense, deep_gradient_.data(), nullptr, workers);
  }

 private:
  std::int64_t width_;
  Parameters parameters_;
  Mlp deep_;
  Mlp both_;
  Floats joined_;
  Floats joined_gradient_;
  Floats deep_gradient_;
  Floats out_gradient_;
};

}  // namespace

void validate(const WideAndDeepConfig& config, const ModelShape& shape) {
  check_layers("model.mlp_bottom", config.deep, 2);
  check_inputs("model.mlp_bottom", config.deep, shape);
}

std::unique_ptr<DenseModel> make_wide_and_deep(const WideAndDeepConfig& config, const ModelShape& shape,
                                               std::uint64_t seed) {
  validate(config, shape);
  return std::make_unique<WideAndDeep>(config, shape, seed);
}

}  // namespace overture::train
