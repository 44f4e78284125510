#include "overture/train/dense/caser.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/train/dense/mlp.h"

namespace overture::train {
namespace {

constexpr int kMostFilters = 4096;

void add_scaled(float factor, const float* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

float product(const float* a, const float* b, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// A sample's rows are [user | items before | item to decide on]; what the filters see of it is
// [columns of every vertical filter | numbers of every horizontal filter, by height].
class Caser : public DenseModel {
 public:
  Caser(const CaserConfig& config, const ModelShape& shape, std::uint64_t seed)
      : dim_(shape.dims.front()),
        length_(shape.tables() - 2),
        width_(shape.width()),
        vertical_(config.vertical_filters),
        horizontal_(config.horizontal_filters),
        parameters_(seed),
        vertical_weights_(parameters_.add("vertical.weight", vertical_ * length_,
                                          1 / std::sqrt(static_cast<double>(length_)))),
        vertical_biases_(parameters_.add("vertical.bias", vertical_, 0)),
        together_("together", {static_cast<int>(seen()), static_cast<int>(dim_)}, LastLayer::relu,
                  parameters_) {
    for (std::int64_t h = 1; h <= length_; ++h) {
      const std::string name = "horizontal." + std::to_string(h);
      const std::int64_t inputs = h * dim_;
      heights_.push_back({.weights = parameters_.add(name + ".weight", horizontal_ * inputs,
                                                     1 / std::sqrt(static_cast<double>(inputs))),
                          .biases = parameters_.add(name + ".bias", horizontal_, 0)});
    }
  }

  Parameters& parameters() override { return parameters_; }

  void forward(const ModelInput& input, std::span<float> logits, Workers& workers) override {
    seen_.resize(static_cast<std::size_t>(input.samples * seen()));
    best_.resize(static_cast<std::size_t>(input.samples * length_ * horizontal_));
    see_columns(input, workers);
    for (std::int64_t h = 1; h <= length_; ++h) see_neighbours(input, h, workers);
    sequence_ = together_.forward(input.samples, seen_.data(), workers);
    for (std::int64_t s = 0; s < input.samples; ++s) {
      const float* const item = items(input.embeddings, s) + length_ * dim_;
      logits[static_cast<std::size_t>(s)] = item[0] + product(item + 1, sequence_ + s * dim_, dim_) +
                                            product(item + 1 + dim_, user(input.embeddings, s), dim_);
    }
  }

  void backward(const ModelInput& input, std::span<const float> logit_gradients,
                std::span<float> embedding_gradients, Workers& workers) override {
    sequence_gradient_.assign(static_cast<std::size_t>(input.samples * dim_), 0.0f);
    std::fill(embedding_gradients.begin(), embedding_gradients.end(), 0.0f);
    for (std::int64_t s = 0; s < input.samples; ++s)
      backward_product(input, s, logit_gradients[static_cast<std::size_t>(s)], embedding_gradients.data());
    seen_gradient_.resize(seen_.size());
    together_.backward(input.samples, seen_.data(), sequence_gradient_.data(), seen_gradient_.data(),
                       workers);
    workers.ranges(vertical_, 1, [&](std::int64_t v, std::int64_t) { vertical_gradient(input, v); });
    for (std::int64_t h = 1; h <= length_; ++h)
      workers.ranges(horizontal_, 8, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t f = from; f < to; ++f) horizontal_gradient(input, h, f);
      });
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) item_gradients(s, embedding_gradients.data());
    });
  }

 private:
  struct Height {
    std::int64_t weights;  // filters x (height x dim)
    std::int64_t biases;
  };

  template <class T>
  T* user(T* rows, std::int64_t s) const {
    return rows + s * width_;
  }
  template <class T>
  T* items(T* rows, std::int64_t s) const {
    return rows + s * width_ + dim_;
  }
  std::int64_t seen() const { return vertical_ * dim_ + length_ * horizontal_; }
  const Height& height(std::int64_t h) const { return heights_[static_cast<std::size_t>(h - 1)]; }
  // Of one filter of height h, in what is seen of sample s; best_ has no vertical filters.
  std::int64_t filter_at(std::int64_t h, std::int64_t f) const { return (h - 1) * horizontal_ + f; }
  std::size_t seen_at(std::int64_t s, std::int64_t h, std::int64_t f) const {
    return static_cast<std::size_t>(s * seen() + vertical_ * dim_ + filter_at(h, f));
  }
  std::size_t best_at(std::int64_t s, std::int64_t h, std::int64_t f) const {
    return static_cast<std::size_t>(s * length_ * horizontal_ + filter_at(h, f));
  }

  void see_columns(const ModelInput& input, Workers& workers) {
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) {
        for (std::int64_t v = 0; v < vertical_; ++v) {
          float* const out = seen_.data() + s * seen() + v * dim_;
          std::fill_n(out, dim_, parameters_.value(vertical_biases_)[v]);
          for (std::int64_t l = 0; l < length_; ++l)
            add_scaled(parameters_.value(vertical_weights_)[v * length_ + l],
                       items(input.embeddings, s) + l * dim_, dim_, out);
        }
      }
    });
  }

  // Of each filter, the place in the sequence where it sees most.
  void see_neighbours(const ModelInput& input, std::int64_t h, Workers& workers) {
    const std::int64_t places = length_ - h + 1;
    const std::int64_t inputs = h * dim_;
    windows_.resize(static_cast<std::size_t>(input.samples * places * inputs));
    found_.resize(static_cast<std::size_t>(input.samples * places * horizontal_));
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) {
        for (std::int64_t p = 0; p < places; ++p)
          std::copy_n(items(input.embeddings, s) + p * dim_, inputs,
                      windows_.data() + (s * places + p) * inputs);
      }
    });
    linear_forward({input.samples * places, inputs, horizontal_}, windows_.data(),
                   parameters_.value(height(h).weights), found_.data(), {}, workers);
    workers.ranges(input.samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t s = from; s < to; ++s) {
        for (std::int64_t f = 0; f < horizontal_; ++f) {
          const float* const found = found_.data() + s * places * horizontal_ + f;
          std::int64_t best = 0;
          for (std::int64_t p = 1; p < places; ++p) {
            if (found[p * horizontal_] > found[best * horizontal_]) best = p;
          }
          best_[best_at(s, h, f)] = static_cast<std::int32_t>(best);
          const float most = found[best * horizontal_] + parameters_.value(height(h).biases)[f];
          seen_[seen_at(s, h, f)] = most > 0 ? most : 0;
        }
      }
    });
  }

  void backward_product(const ModelInput& input, std::int64_t s, float gradient, float* embedding_gradients) {
    const float* const item = items(input.embeddings, s) + length_ * dim_;
    float* const item_gradient = items(embedding_gradients, s) + length_ * dim_;
    item_gradient[0] = gradient;
    add_scaled(gradient, sequence_ + s * dim_, dim_, item_gradient + 1);
    add_scaled(gradient, user(input.embeddings, s), dim_, item_gradient + 1 + dim_);
    add_scaled(gradient, item + 1, dim_, sequence_gradient_.data() + s * dim_);
    add_scaled(gradient, item + 1 + dim_, dim_, user(embedding_gradients, s));
  }

  void vertical_gradient(const ModelInput& input, std::int64_t v) {
    float* const weights = parameters_.gradient(vertical_weights_) + v * length_;
    float& bias = parameters_.gradient(vertical_biases_)[v];
    std::fill_n(weights, length_, 0.0f);
    bias = 0;
    for (std::int64_t s = 0; s < input.samples; ++s) {
      const float* const gradient = seen_gradient_.data() + s * seen() + v * dim_;
      for (std::int64_t l = 0; l < length_; ++l)
        weights[l] += product(gradient, items(input.embeddings, s) + l * dim_, dim_);
      for (std::int64_t k = 0; k < dim_; ++k) bias += gradient[k];
    }
  }

  // Only the place that was seen has a gradient.
  void horizontal_gradient(const ModelInput& input, std::int64_t h, std::int64_t f) {
    float* const weights = parameters_.gradient(height(h).weights) + f * h * dim_;
    float& bias = parameters_.gradient(height(h).biases)[f];
    std::fill_n(weights, h * dim_, 0.0f);
    bias = 0;
    for (std::int64_t s = 0; s < input.samples; ++s) {
      if (seen_[seen_at(s, h, f)] <= 0) continue;
      const float gradient = seen_gradient_[seen_at(s, h, f)];
      add_scaled(gradient, items(input.embeddings, s) + best_[best_at(s, h, f)] * dim_, h * dim_, weights);
      bias += gradient;
    }
  }

  void item_gradients(std::int64_t s, float* embedding_gradients) {
    float* const out = items(embedding_gradients, s);
    for (std::int64_t v = 0; v < vertical_; ++v) {
      for (std::int64_t l = 0; l < length_; ++l)
        add_scaled(parameters_.value(vertical_weights_)[v * length_ + l],
                   seen_gradient_.data() + s * seen() + v * dim_, dim_, out + l * dim_);
    }
    for (std::int64_t h = 1; h <= length_; ++h) {
      for (std::int64_t f = 0; f < horizontal_; ++f) {
        if (seen_[seen_at(s, h, f)] <= 0) continue;
        add_scaled(seen_gradient_[seen_at(s, h, f)], parameters_.value(height(h).weights) + f * h * dim_,
                   h * dim_, out + best_[best_at(s, h, f)] * dim_);
      }
    }
  }

  std::int64_t dim_;
  std::int64_t length_;  // of a sequence
  std::int64_t width_;   // of all rows of a sample
  std::int64_t vertical_;
  std::int64_t horizontal_;
  Parameters parameters_;
  std::int64_t vertical_weights_;  // filters x length
  std::int64_t vertical_biases_;
  Mlp together_;
  std::vector<Height> heights_;
  Floats windows_;  // of one height
  Floats found_;
  Floats seen_;
  std::vector<std::int32_t> best_;
  const float* sequence_ = nullptr;  // its vector
  Floats sequence_gradient_;
  Floats seen_gradient_;
};

}  // namespace

std::string CaserConfig::describe() const {
  return fmt::format("caser {} {}", horizontal_filters, vertical_filters);
}

void CaserConfig::validate(const ModelShape& shape) const {
  for (const auto& [key, filters] : {std::pair{"model.horizontal_filters", horizontal_filters},
                                     {"model.vertical_filters", vertical_filters}}) {
    if (filters < 1 || filters > kMostFilters)
      throw UserError({.key = key}, fmt::format("{} is not from 1 to {}", filters, kMostFilters));
  }
  if (shape.tables() < 3) {
    throw UserError({.key = "model.kind"}, fmt::format("Caser cannot use {} tables", shape.tables()),
                    "it needs users, one or more items before, and the item to decide on");
  }
  ModelShape before = shape;
  before.dims.pop_back();
  const std::int32_t dim = common_dim("Caser, but for the last table,", before);
  if (shape.dims.back() != caser_item_dim(dim)) {
    throw UserError({.key = "tables.dims"},
                    fmt::format("the last table has {} columns; Caser needs {}, twice the {} of the others "
                                "and one",
                                shape.dims.back(), caser_item_dim(dim), dim));
  }
}

std::unique_ptr<DenseModel> CaserConfig::make(const ModelShape& shape, std::uint64_t seed) const {
  validate(shape);
  return std::make_unique<Caser>(*this, shape, seed);
}

}  // namespace overture::train
