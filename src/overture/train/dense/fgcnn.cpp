#include "overture/train/dense/fgcnn.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/train/dense/columns.h"
#include "overture/train/dense/field_convolution.h"
#include "overture/train/dense/interaction.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

constexpr std::int64_t kNewMaps = 2;  // of each recombination
constexpr int kMostChannels = 1024;

std::int64_t fields_of(const ModelShape& shape) { return shape.dense_features + shape.tables(); }

// Those of the sample and those that every convolution adds.
std::int64_t features_of(const FgcnnConfig& config, const ModelShape& shape) {
  std::int64_t fields = fields_of(shape);
  std::int64_t features = fields;
  for (std::size_t l = 0; l < config.channels.size(); ++l) {
    fields = (fields + 1) / 2;
    features += kNewMaps * fields;
  }
  return features;
}

class Fgcnn : public DenseModel {
 public:
  Fgcnn(const FgcnnConfig& config, const ModelShape& shape, std::uint64_t seed)
      : dense_(shape.dense_features),
        dim_(shape.dims.front()),
        fields_(fields_of(shape)),
        pairs_{.tables = features_of(config, shape) - 1, .dim = dim_},
        parameters_(seed),
        vectors_(parameters_.add("dense", dense_ * dim_, 1 / static_cast<double>(dim_))),
        top_("top", with_inputs(config.top), LastLayer::linear, parameters_) {
    ConvolutionShape next{.fields = fields_, .maps_in = 1, .dim = dim_};
    for (std::size_t l = 0; l < config.channels.size(); ++l) {
      next.maps_out = config.channels[l];
      const int outputs = static_cast<int>(kNewMaps * next.pooled() * dim_);
      const std::string number = std::to_string(l);
      layers_.push_back(
          std::make_unique<Layer>(Layer{.convolution = {"convolution." + number, next, parameters_},
                                        .recombine = {"recombine." + number,
                                                      {static_cast<int>(next.outputs()), outputs},
                                                      LastLayer::linear,
                                                      parameters_}}));
      next = {.fields = next.pooled(), .maps_in = next.maps_out, .dim = dim_};
    }
  }

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    const std::int64_t samples = input.samples;
    make_fields(input, workers);
    const float* maps = raw_.data();
    for (const auto& layer : layers_) {
      layer->maps = maps = layer->convolution.forward(samples, maps, workers);
      layer->made = layer->recombine.forward(samples, maps, workers);
    }
    first_.resize(static_cast<std::size_t>(samples * dim_));
    others_.resize(static_cast<std::size_t>(samples * others_width()));
    interacted_.resize(static_cast<std::size_t>(samples * pairs_.outputs()));
    all_.resize(interacted_.size() + others_.size());
    workers.ranges(samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) gather(s);
      interaction().forward(job(from, to), interacted_.data());
    });
    join_columns(samples, interacted_.data(), pairs_.outputs(), others_.data(), others_width(), all_.data(),
                 workers);
    std::copy_n(top_.forward(samples, all_.data(), workers), samples, logits.begin());
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    const std::int64_t samples = input.samples;
    out_gradient_.assign(logit_gradients.begin(), logit_gradients.end());
    for (auto [gradient, of] : {std::pair{&all_gradient_, &all_},
                                {&interacted_gradient_, &interacted_},
                                {&straight_gradient_, &others_},
                                {&others_gradient_, &others_},
                                {&first_gradient_, &first_},
                                {&raw_gradient_, &raw_}})
      gradient->resize(of->size());
    top_.backward(samples, all_.data(), out_gradient_.data(), all_gradient_.data(), workers);
    split_columns(samples, all_gradient_.data(), interacted_gradient_.data(), pairs_.outputs(),
                  straight_gradient_.data(), others_width(), workers);
    for (const auto& layer : layers_)
      layer->made_gradient.resize(static_cast<std::size_t>(samples * layer->recombine.outputs()));
    workers.ranges(samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      interaction().backward(job(from, to), interacted_gradient_.data(), first_gradient_.data(),
                             others_gradient_.data());
      for (std::int64_t s = from; s < to; ++s) scatter(s);
    });
    backward_layers(samples, workers);
    backward_fields(input, embedding_gradients, workers);
  }

 private:
  struct Layer {
    FieldConvolution convolution;
    Mlp recombine;
    const float* maps = nullptr;  // after the convolution
    const float* made = nullptr;  // new features, before tanh
    Floats made_gradient;
    Floats maps_gradient;
    Floats input_gradient;
  };

  std::int64_t others_width() const { return pairs_.tables * dim_; }

  std::vector<int> with_inputs(std::vector<int> top) const {
    top.insert(top.begin(), static_cast<int>(pairs_.outputs() + others_width()));
    return top;
  }

  InteractionJob job(std::int64_t from, std::int64_t to) const {
    return {.shape = pairs_, .x = first_.data(), .e = others_.data(), .from = from, .to = to};
  }

  // Dense features times their vectors, and the rows behind.
  void make_fields(const ModelInput& input, Workers& workers) {
    raw_.resize(static_cast<std::size_t>(input.samples * fields_ * dim_));
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      const float* const vectors = parameters_.value(vectors_);
      const std::int64_t width = (fields_ - dense_) * dim_;
      for (std::int64_t s = from; s < to; ++s) {
        float* const out = raw_.data() + s * fields_ * dim_;
        for (std::int64_t i = 0; i < dense_ * dim_; ++i)
          out[i] = input.dense[s * dense_ + i / dim_] * vectors[i];
        std::copy_n(input.embeddings + s * width, width, out + dense_ * dim_);
      }
    });
  }

  // A sample's features side by side, the first apart from the others as the interaction wants it.
  void gather(std::int64_t s) {
    const float* const raw = raw_.data() + s * fields_ * dim_;
    std::copy_n(raw, dim_, first_.data() + s * dim_);
    float* out = std::copy_n(raw + dim_, (fields_ - 1) * dim_, others_.data() + s * others_width());
    for (const auto& layer : layers_) {
      const std::int64_t width = layer->recombine.outputs();
      const float* const made = layer->made + s * width;
      for (std::int64_t i = 0; i < width; ++i) *out++ = std::tanh(made[i]);
    }
  }

  // The same backwards: what the MLP and the products say of every feature.
  void scatter(std::int64_t s) {
    float* gradient = others_gradient_.data() + s * others_width();
    const float* straight = straight_gradient_.data() + s * others_width();
    for (std::int64_t i = 0; i < others_width(); ++i) gradient[i] += straight[i];
    float* const raw = raw_gradient_.data() + s * fields_ * dim_;
    std::copy_n(first_gradient_.data() + s * dim_, dim_, raw);
    std::copy_n(gradient, (fields_ - 1) * dim_, raw + dim_);
    const float* feature = others_.data() + s * others_width() + (fields_ - 1) * dim_;
    gradient += (fields_ - 1) * dim_;
    for (const auto& layer : layers_) {
      const std::int64_t width = layer->recombine.outputs();
      float* const out = layer->made_gradient.data() + s * width;
      for (std::int64_t i = 0; i < width; ++i) out[i] = gradient[i] * (1 - feature[i] * feature[i]);
      feature += width;
      gradient += width;
    }
  }

  void backward_layers(std::int64_t samples, Workers& workers) {
    for (std::size_t l = layers_.size(); l-- > 0;) {
      Layer& layer = *layers_[l];
      const ConvolutionShape& shape = layer.convolution.shape();
      layer.maps_gradient.resize(static_cast<std::size_t>(samples * shape.outputs()));
      layer.input_gradient.resize(static_cast<std::size_t>(samples * shape.inputs()));
      layer.recombine.backward(samples, layer.maps, layer.made_gradient.data(), layer.maps_gradient.data(),
                               workers);
      if (l + 1 < layers_.size()) add(layers_[l + 1]->input_gradient, layer.maps_gradient, workers);
      layer.convolution.backward(samples, l == 0 ? raw_.data() : layers_[l - 1]->maps,
                                 layer.maps_gradient.data(), layer.input_gradient.data(), workers);
    }
    add(layers_.front()->input_gradient, raw_gradient_, workers);
  }

  static void add(const Floats& from, Floats& to, Workers& workers) {
    workers.ranges(std::ssize(to), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        to[static_cast<std::size_t>(i)] += from[static_cast<std::size_t>(i)];
    });
  }

  void backward_fields(const ModelInput& input, std::span<float> embedding_gradients, Workers& workers) {
    const std::int64_t width = (fields_ - dense_) * dim_;
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s)
        std::copy_n(raw_gradient_.data() + (s * fields_ + dense_) * dim_, width,
                    embedding_gradients.data() + s * width);
    });
    workers.ranges(dense_, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t f = from; f < to; ++f) {
        float* const sums = parameters_.gradient(vectors_) + f * dim_;
        std::fill_n(sums, dim_, 0.0f);
        for (std::int64_t s = 0; s < input.samples; ++s) {
          const float* const gradient = raw_gradient_.data() + (s * fields_ + f) * dim_;
          for (std::int64_t k = 0; k < dim_; ++k) sums[k] += input.dense[s * dense_ + f] * gradient[k];
        }
      }
    });
  }

  std::int64_t dense_;
  std::int64_t dim_;
  std::int64_t fields_;
  InteractionShape pairs_;  // of all features
  Parameters parameters_;
  std::int64_t vectors_;  // of dense features
  Mlp top_;
  std::vector<std::unique_ptr<Layer>> layers_;
  Floats raw_;
  Floats first_;
  Floats others_;
  Floats interacted_;
  Floats all_;  // what the top MLP takes
  Floats all_gradient_;
  Floats interacted_gradient_;
  Floats straight_gradient_;
  Floats others_gradient_;
  Floats first_gradient_;
  Floats raw_gradient_;
  Floats out_gradient_;
};

}  // namespace

std::string FgcnnConfig::describe() const {
  return fmt::format("fgcnn {} {}", fmt::join(channels, "-"), fmt::join(top, "-"));
}

void FgcnnConfig::validate(const ModelShape& shape) const {
  const std::int64_t dim = common_dim("FGCNN", shape);
  check_layers("model.channels", channels, 1);
  for (const int count : channels) {
    if (count > kMostChannels)
      throw UserError({.key = "model.channels"}, fmt::format("{} is more than {}", count, kMostChannels));
  }
  check_layers("model.mlp_top", top, 1);
  if (top.back() != 1)
    throw UserError({.key = "model.mlp_top"}, fmt::format("ends with {}, not with 1", top.back()));
  const std::int64_t features = features_of(*this, shape);
  if (features > kMostVectors || (features + 8) * dim > kMostNumbers) {
    throw UserError({.key = "model.kind"},
                    fmt::format("FGCNN makes {} features of {} columns, which is too many", features, dim),
                    fmt::format("at most {} features, and {} numbers a sample", kMostVectors, kMostNumbers));
  }
}

std::unique_ptr<DenseModel> FgcnnConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<Fgcnn>(*this, shape, seed);
}

}  // namespace overture::train
