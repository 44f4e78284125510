#include "overture/train/dense/deep_fm.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

class DeepFm : public DenseModel {
 public:
  DeepFm(const DeepFmConfig& config, const ModelShape& shape, std::uint64_t seed)
      : tables_(shape.tables()),
        dim_(shape.dims.front()),
        parameters_(seed),
        bias_(parameters_.add("bias", 1, 0)),
        deep_("deep", with_inputs(config.deep), LastLayer::linear, parameters_) {}

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    vectors_.resize(static_cast<std::size_t>(input.samples * deep_.inputs()));
    sums_.resize(static_cast<std::size_t>(input.samples * (dim_ - 1)));
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) logits[static_cast<std::size_t>(s)] = shallow(input, s);
    });
    const float* const deep = deep_.forward(input.samples, vectors_.data(), workers);
    for (std::int64_t s = 0; s < input.samples; ++s) logits[static_cast<std::size_t>(s)] += deep[s];
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    float bias = 0;
    for (const float gradient : logit_gradients) bias += gradient;
    *parameters_.gradient(bias_) = bias;
    out_gradient_.assign(logit_gradients.begin(), logit_gradients.end());
    vector_gradients_.resize(vectors_.size());
    deep_.backward(input.samples, vectors_.data(), out_gradient_.data(), vector_gradients_.data(), workers);
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s)
        shallow_gradient(s, logit_gradients[static_cast<std::size_t>(s)], embedding_gradients.data());
    });
  }

 private:
  std::vector<int> with_inputs(std::vector<int> deep) const {
    deep.insert(deep.begin(), static_cast<int>(tables_ * (dim_ - 1)));
    return deep;
  }

  // First and second order of one sample; copies its vectors out for the MLP. The sum of all products is half
  // of the square of the sum less the sum of the squares (Rendle, 2010).
  float shallow(const ModelInput& input, std::int64_t sample) {
    const std::int64_t columns = dim_ - 1;
    const float* const rows = input.embeddings + sample * tables_ * dim_;
    float* const vectors = vectors_.data() + sample * deep_.inputs();
    float* const sum = sums_.data() + sample * columns;
    float logit = *parameters_.value(bias_);
    float squares = 0;
    std::fill_n(sum, columns, 0.0f);
    for (std::int64_t t = 0; t < tables_; ++t) {
      logit += rows[t * dim_];
      const float* const vector = rows + t * dim_ + 1;
      for (std::int64_t c = 0; c < columns; ++c) {
        vectors[t * columns + c] = vector[c];
        sum[c] += vector[c];
        squares += vector[c] * vector[c];
      }
    }
    float square = 0;
    for (std::int64_t c = 0; c < columns; ++c) square += sum[c] * sum[c];
    return logit + 0.5f * (square - squares);
  }

  void shallow_gradient(std::int64_t sample, float gradient, float* embedding_gradients) {
    const std::int64_t columns = dim_ - 1;
    const float* const vectors = vectors_.data() + sample * deep_.inputs();
    const float* const from_deep = vector_gradients_.data() + sample * deep_.inputs();
    const float* const sum = sums_.data() + sample * columns;
    float* const rows = embedding_gradients + sample * tables_ * dim_;
    for (std::int64_t t = 0; t < tables_; ++t) {
      rows[t * dim_] = gradient;
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t i = t * columns + c;
        rows[t * dim_ + 1 + c] = from_deep[i] + gradient * (sum[c] - vectors[i]);
      }
    }
  }

  std::int64_t tables_;
  std::int64_t dim_;  // with the weight
  Parameters parameters_;
  std::int64_t bias_;
  Mlp deep_;
  Floats vectors_;
  Floats vector_gradients_;
  Floats sums_;
  Floats out_gradient_;
};

}  // namespace

std::string DeepFmConfig::describe() const { return fmt::format("deep_fm {}", fmt::join(deep, "-")); }

void DeepFmConfig::validate(const ModelShape& shape) const {
  check_layers("model.mlp_top", deep, 1);
  if (deep.back() != 1)
    throw UserError({.key = "model.mlp_top"}, fmt::format("ends with {}, not with 1", deep.back()));
  if (common_dim("DeepFM", shape) < 2)
    throw UserError({.key = "tables.dim"}, "is 1; DeepFM needs a weight and a vector in every row");
}

std::unique_ptr<DenseModel> DeepFmConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<DeepFm>(*this, shape, seed);
}

}  // namespace overture::train
