#include "overture/train/dense/dlrm.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/train/dense/columns.h"
#include "overture/train/dense/interaction.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

class Dlrm : public DenseModel {
 public:
  Dlrm(const DlrmConfig& config, const ModelShape& shape, std::uint64_t seed)
      : dot_(config.interaction == Interaction::dot),
        width_(shape.width()),
        shape_{.tables = std::ssize(shape.dims),
               .dim = config.bottom.back(),
               .itself = config.interaction_itself},
        parameters_(seed),
        bottom_("bottom", config.bottom, LastLayer::relu, parameters_),
        top_("top", with_inputs(config.top), LastLayer::linear, parameters_) {}

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    x_ = bottom_.forward(input.samples, input.dense, workers);
    interacted_.resize(static_cast<std::size_t>(input.samples * interacted_width()));
    if (dot_) {
      workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
        interaction().forward(job(input, from, to), interacted_.data());
      });
      workers.done(Work::interact, interacted(input));
    } else {
      join_columns(input.samples, x_, shape_.dim, input.embeddings, width_, interacted_.data(), workers);
    }
    const float* const out = top_.forward(input.samples, interacted_.data(), workers);
    std::copy(out, out + input.samples, logits.begin());
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    out_gradient_.assign(logit_gradients.begin(), logit_gradients.end());
    interacted_gradient_.resize(interacted_.size());
    x_gradient_.resize(static_cast<std::size_t>(input.samples * shape_.dim));
    top_.backward(input.samples, interacted_.data(), out_gradient_.data(), interacted_gradient_.data(),
                  workers);
    if (dot_) {
      workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
        interaction().backward(job(input, from, to), interacted_gradient_.data(), x_gradient_.data(),
                               embedding_gradients.data());
      });
      workers.done(Work::interact_back, interacted(input));
    } else {
      split_columns(input.samples, interacted_gradient_.data(), x_gradient_.data(), shape_.dim,
                    embedding_gradients.data(), width_, workers);
    }
    bottom_.backward(input.samples, input.dense, x_gradient_.data(), nullptr, workers);
  }

 private:
  std::int64_t interacted_width() const { return dot_ ? shape_.outputs() : shape_.dim + width_; }

  WorkNumbers interacted(const ModelInput& input) const {
    return {input.samples, shape_.tables + 1, shape_.dim};
  }

  std::vector<int> with_inputs(std::vector<int> top) const {
    top.insert(top.begin(), static_cast<int>(interacted_width()));
    return top;
  }

  InteractionJob job(const ModelInput& input, std::int64_t from, std::int64_t to) const {
    return {.shape = shape_, .x = x_, .e = input.embeddings, .from = from, .to = to};
  }

  bool dot_;
  std::int64_t width_;
  InteractionShape shape_;
  Parameters parameters_;
  Mlp bottom_;
  Mlp top_;
  const float* x_ = nullptr;  // output of the bottom MLP
  Floats interacted_;
  Floats interacted_gradient_;
  Floats x_gradient_;
  Floats out_gradient_;
};

}  // namespace

std::string DlrmConfig::describe() const {
  return fmt::format("dlrm {} {}{} {}", fmt::join(bottom, "-"),
                     interaction == Interaction::dot ? "dot" : "cat", interaction_itself ? " itself" : "",
                     fmt::join(top, "-"));
}

void DlrmConfig::validate(const ModelShape& shape) const {
  check_layers("model.mlp_bottom", bottom, 2);
  check_layers("model.mlp_top", top, 1);
  check_inputs("model.mlp_bottom", bottom, shape);
  if (top.back() != 1)
    throw UserError({.key = "model.mlp_top"}, fmt::format("ends with {}, not with 1", top.back()));
  if (interaction == Interaction::cat) return;
  if (std::ssize(shape.dims) >= kMostVectors || (std::ssize(shape.dims) + 8) * bottom.back() > kMostNumbers) {
    throw UserError(
        {.key = "model.interaction"},
        fmt::format("a dot interaction of {} tables with {} columns is too large", shape.dims.size(),
                    bottom.back()),
        fmt::format("at most {} tables, and {} numbers a sample", kMostVectors - 1, kMostNumbers));
  }
  for (const std::int32_t dim : shape.dims) {
    if (dim != bottom.back()) {
      throw UserError({.key = "model.mlp_bottom"},
                      fmt::format("ends with {}, but rows have {} columns", bottom.back(), dim),
                      "a dot interaction needs them to be equal; cat does not");
    }
  }
}

std::unique_ptr<DenseModel> DlrmConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<Dlrm>(*this, shape, seed);
}

}  // namespace overture::train
