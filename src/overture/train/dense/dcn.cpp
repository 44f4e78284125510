#include "overture/train/dense/dcn.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/train/dense/columns.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

constexpr std::int64_t kAtOnce = 1 << 14;

class Dcn : public DenseModel {
 public:
  Dcn(const DcnConfig& config, const ModelShape& shape, std::uint64_t seed)
      : width_(shape.width()),
        crossed_(config.bottom.back() + width_),
        parameters_(seed),
        bottom_("bottom", config.bottom, LastLayer::relu, parameters_),
        top_("top", with_inputs(config.top), LastLayer::linear, parameters_),
        crosses_(static_cast<std::size_t>(config.cross_layers)) {
    const int width = static_cast<int>(crossed_);
    for (std::size_t l = 0; l < crosses_.size(); ++l) {
      // W (V x) + b is a linear layer after another; that of V has a bias too, which W could express.
      crosses_[l].mixed = std::make_unique<Mlp>("cross." + std::to_string(l), std::vector{width, config.rank},
                                                LastLayer::linear, parameters_);
      crosses_[l].spread = std::make_unique<Mlp>(
          "spread." + std::to_string(l), std::vector{config.rank, width}, LastLayer::linear, parameters_);
    }
  }

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    const std::int64_t samples = input.samples;
    const float* const dense = bottom_.forward(samples, input.dense, workers);
    x0_.resize(static_cast<std::size_t>(samples * crossed_));
    join_columns(samples, dense, bottom_.outputs(), input.embeddings, width_, x0_.data(), workers);
    const float* x = x0_.data();
    for (Cross& cross : crosses_) {
      cross.low = cross.mixed->forward(samples, x, workers);
      cross.factor = cross.spread->forward(samples, cross.low, workers);
      cross.out.resize(x0_.size());
      workers.ranges(std::ssize(x0_), kAtOnce, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) cross.out[at(i)] = x0_[at(i)] * cross.factor[i] + x[i];
      });
      x = cross.out.data();
    }
    const float* const out = top_.forward(samples, x, workers);
    std::copy_n(out, samples, logits.begin());
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    const std::int64_t samples = input.samples;
    out_gradient_.assign(logit_gradients.begin(), logit_gradients.end());
    gradient_.resize(x0_.size());
    top_.backward(samples, input_of(crosses_.size()), out_gradient_.data(), gradient_.data(), workers);
    x0_gradient_.assign(x0_.size(), 0.0f);
    for (std::size_t l = crosses_.size(); l-- > 0;) backward_cross(samples, l, workers);
    workers.ranges(std::ssize(x0_), kAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) x0_gradient_[at(i)] += gradient_[at(i)];
    });
    bottom_gradient_.resize(static_cast<std::size_t>(samples * bottom_.outputs()));
    split_columns(samples, x0_gradient_.data(), bottom_gradient_.data(), bottom_.outputs(),
                  embedding_gradients.data(), width_, workers);
    bottom_.backward(samples, input.dense, bottom_gradient_.data(), nullptr, workers);
  }

 private:
  struct Cross {
    std::unique_ptr<Mlp> mixed;   // V
    std::unique_ptr<Mlp> spread;  // W and b
    const float* low = nullptr;
    const float* factor = nullptr;
    Floats out;
  };

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::vector<int> with_inputs(std::vector<int> top) const {
    top.insert(top.begin(), static_cast<int>(crossed_));
    return top;
  }

  // What goes into cross layer `l`, or, after the last, into the top MLP.
  const float* input_of(std::size_t l) const { return l == 0 ? x0_.data() : crosses_[l - 1].out.data(); }

  // gradient_ is that of the layer's output before, and of its input after.
  void backward_cross(std::int64_t samples, std::size_t l, Workers& workers) {
    Cross& cross = crosses_[l];
    factor_gradient_.resize(x0_.size());
    workers.ranges(std::ssize(x0_), kAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        factor_gradient_[at(i)] = gradient_[at(i)] * x0_[at(i)];
        x0_gradient_[at(i)] += gradient_[at(i)] * cross.factor[i];
      }
    });
    low_gradient_.resize(static_cast<std::size_t>(samples * cross.mixed->outputs()));
    x_gradient_.resize(x0_.size());
    cross.spread->backward(samples, cross.low, factor_gradient_.data(), low_gradient_.data(), workers);
    cross.mixed->backward(samples, input_of(l), low_gradient_.data(), x_gradient_.data(), workers);
    workers.ranges(std::ssize(x0_), kAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) gradient_[at(i)] += x_gradient_[at(i)];
    });
  }

  std::int64_t width_;
  std::int64_t crossed_;
  Parameters parameters_;
  Mlp bottom_;
  Mlp top_;
  std::vector<Cross> crosses_;
  Floats x0_;
  Floats x0_gradient_;
  Floats gradient_;
  Floats factor_gradient_;
  Floats low_gradient_;
  Floats x_gradient_;
  Floats bottom_gradient_;
  Floats out_gradient_;
};

}  // namespace

std::string DcnConfig::describe() const {
  return fmt::format("dcn {} {}x{} {}", fmt::join(bottom, "-"), cross_layers, rank, fmt::join(top, "-"));
}

void DcnConfig::validate(const ModelShape& shape) const {
  check_layers("model.mlp_bottom", bottom, 2);
  check_layers("model.mlp_top", top, 1);
  check_inputs("model.mlp_bottom", bottom, shape);
  if (top.back() != 1)
    throw UserError({.key = "model.mlp_top"}, fmt::format("ends with {}, not with 1", top.back()));
  if (cross_layers < 1 || cross_layers > 100)
    throw UserError({.key = "model.cross_layers"}, fmt::format("{} is not from 1 to 100", cross_layers));
  check_layers("model.rank", {rank}, 1);
}

std::unique_ptr<DenseModel> DcnConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<Dcn>(*this, shape, seed);
}

}  // namespace overture::train
