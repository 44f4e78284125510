#include "overture/train/dense/wide_and_deep.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/train/dense/matrix.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

// The last layer, from the deep part's outputs and all rows to the logit, takes its two inputs where they
// lie.
class WideAndDeep : public DenseModel {
 public:
  WideAndDeep(const WideAndDeepConfig& config, const ModelShape& shape, std::uint64_t seed)
      : width_(shape.width()),
        parameters_(seed),
        deep_("deep", config.deep, LastLayer::linear, parameters_),
        weights_(parameters_.add("both.0.weight", deep_.outputs() + width_,
                                 std::sqrt(2.0 / static_cast<double>(deep_.outputs() + width_ + 1)))),
        bias_(parameters_.add("both.0.bias", 1, 1)) {}

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    deep_out_ = deep_.forward(input.samples, input.dense, workers);
    wide_.resize(logits.size());
    linear_forward(deep_shape(input), deep_out_, parameters_.value(weights_), logits.data(),
                   {.biases = parameters_.value(bias_)}, workers);
    linear_forward(wide_shape(input), input.embeddings, parameters_.value(wide_weights()), wide_.data(), {},
                   workers);
    for (std::size_t s = 0; s < wide_.size(); ++s) logits[s] += wide_[s];
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    const float* const gradient = logit_gradients.data();
    deep_gradient_.resize(static_cast<std::size_t>(input.samples * deep_.outputs()));
    linear_weight_gradient(deep_shape(input), gradient, deep_out_,
                           {parameters_.gradient(weights_), parameters_.gradient(bias_)}, workers);
    linear_weight_gradient(wide_shape(input), gradient, input.embeddings,
                           {parameters_.gradient(wide_weights()), nullptr}, workers);
    linear_input_gradient(deep_shape(input), gradient, parameters_.value(weights_), deep_gradient_.data(), {},
                          workers);
    linear_input_gradient(wide_shape(input), gradient, parameters_.value(wide_weights()),
                          embedding_gradients.data(), {}, workers);
    deep_.backward(input.samples, input.dense, deep_gradient_.data(), nullptr, workers);
  }

 private:
  LinearShape deep_shape(const ModelInput& input) const { return {input.samples, deep_.outputs(), 1}; }
  LinearShape wide_shape(const ModelInput& input) const { return {input.samples, width_, 1}; }
  std::int64_t wide_weights() const { return weights_ + deep_.outputs(); }

  std::int64_t width_;
  Parameters parameters_;
  Mlp deep_;
  std::int64_t weights_;  // where they start
  std::int64_t bias_;
  const float* deep_out_ = nullptr;
  Floats wide_;
  Floats deep_gradient_;
};

}  // namespace

std::string WideAndDeepConfig::describe() const {
  return fmt::format("wide_and_deep {}", fmt::join(deep, "-"));
}

void WideAndDeepConfig::validate(const ModelShape& shape) const {
  check_layers("model.mlp_bottom", deep, 2);
  check_inputs("model.mlp_bottom", deep, shape);
}

std::unique_ptr<DenseModel> WideAndDeepConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<WideAndDeep>(*this, shape, seed);
}

}  // namespace overture::train
