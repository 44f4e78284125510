#include "overture/train/dense/field_convolution.h"

#include <algorithm>
#include <cmath>

namespace overture::train {
namespace {

constexpr std::int64_t kKernel = 7;

}  // namespace

FieldConvolution::FieldConvolution(const std::string& name, const ConvolutionShape& shape,
                                   Parameters& parameters)
    : shape_(shape), parameters_(parameters) {
  const std::int64_t inputs = kKernel * shape.maps_in;
  const double deviation = std::sqrt(2.0 / static_cast<double>(inputs + kKernel * shape.maps_out));
  weights_ = parameters.add(name + ".weight", shape.maps_out * inputs, deviation);
  biases_ = parameters.add(name + ".bias", shape.maps_out, 0);
}

FieldConvolution::Window FieldConvolution::window(std::int64_t field) const {
  const std::int64_t begin = field - kKernel / 2;
  const std::int64_t first = std::max<std::int64_t>(begin, 0);
  return {
      .first = first, .fields = std::min(begin + kKernel, shape_.fields) - first, .skipped = first - begin};
}

const float* FieldConvolution::forward(std::int64_t samples, const float* input, Workers& workers) {
  output_.resize(static_cast<std::size_t>(samples * shape_.outputs()));
  second_.resize(output_.size());
  workers.ranges(samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
    Floats maps(static_cast<std::size_t>(shape_.fields * map_size()));
    for (std::int64_t s = from; s < to; ++s) {
      convolve(input + s * shape_.inputs(), maps.data());
      pool(maps.data(), s);
    }
  });
  return output_.data();
}

// The fields under a kernel stand one after the other in memory, so that each place of it is one product.
void FieldConvolution::convolve(const float* input, float* maps) {
  const float* const biases = parameters_.value(biases_);
  for (std::int64_t f = 0; f < shape_.fields; ++f) {
    const Window at = window(f);
    float* const out = maps + f * map_size();
    for (std::int64_t m = 0; m < shape_.maps_out; ++m)
      std::fill_n(out + m * shape_.dim, shape_.dim, biases[m]);
    multiply({shape_.maps_out, shape_.dim, at.fields * shape_.maps_in},
             {parameters_.value(weights_) + at.skipped * shape_.maps_in, kKernel * shape_.maps_in},
             {input + at.first * shape_.maps_in * shape_.dim, shape_.dim}, {out, shape_.dim, true});
  }
}

void FieldConvolution::pool(const float* maps, std::int64_t sample) {
  for (std::int64_t p = 0; p < shape_.pooled(); ++p) {
    const float* const one = maps + 2 * p * map_size();
    const float* const other = 2 * p + 1 < shape_.fields ? one + map_size() : one;
    const std::int64_t start = sample * shape_.outputs() + p * map_size();
    for (std::int64_t i = 0; i < map_size(); ++i) {
      second_[static_cast<std::size_t>(start + i)] = other[i] > one[i];
      output_[static_cast<std::size_t>(start + i)] = std::tanh(std::max(one[i], other[i]));
    }
  }
}

void FieldConvolution::backward(std::int64_t samples, const float* input, const float* output_gradient,
                                float* input_gradient, Workers& workers) {
  const std::int64_t weights = shape_.maps_out * kKernel * shape_.maps_in;
  const std::int64_t size = weights + shape_.maps_out;
  const std::int64_t blocks = (samples + kSamplesAtOnce - 1) / kSamplesAtOnce;
  partial_.assign(static_cast<std::size_t>(blocks * size), 0.0f);
  workers.ranges(samples, kSamplesAtOnce, [&](std::int64_t from, std::int64_t to) {
    Floats maps(static_cast<std::size_t>(shape_.fields * map_size()));
    for (std::int64_t s = from; s < to; ++s) {
      unpool(output_gradient + s * shape_.outputs(), s, maps.data());
      spread(maps.data(), input_gradient + s * shape_.inputs());
      add_gradients(maps.data(), input + s * shape_.inputs(), partial_.data() + from / kSamplesAtOnce * size);
    }
  });
  std::fill_n(parameters_.gradient(weights_), weights, 0.0f);
  std::fill_n(parameters_.gradient(biases_), shape_.maps_out, 0.0f);
  for (std::int64_t b = 0; b < blocks; ++b) {
    const float* const from = partial_.data() + b * size;
    for (std::int64_t i = 0; i < weights; ++i) parameters_.gradient(weights_)[i] += from[i];
    for (std::int64_t i = 0; i < shape_.maps_out; ++i) parameters_.gradient(biases_)[i] += from[weights + i];
  }
}

void FieldConvolution::unpool(const float* output_gradient, std::int64_t sample, float* maps) const {
  std::fill_n(maps, shape_.fields * map_size(), 0.0f);
  for (std::int64_t p = 0; p < shape_.pooled(); ++p) {
    for (std::int64_t i = 0; i < map_size(); ++i) {
      const auto at = static_cast<std::size_t>(sample * shape_.outputs() + p * map_size() + i);
      const std::int64_t field = 2 * p + second_[at];
      maps[field * map_size() + i] = output_gradient[p * map_size() + i] * (1 - output_[at] * output_[at]);
    }
  }
}

void FieldConvolution::spread(const float* maps, float* input_gradient) {
  std::fill_n(input_gradient, shape_.inputs(), 0.0f);
  for (std::int64_t f = 0; f < shape_.fields; ++f) {
    const Window at = window(f);
    multiply({at.fields * shape_.maps_in, shape_.dim, shape_.maps_out},
             {parameters_.value(weights_) + at.skipped * shape_.maps_in, kKernel * shape_.maps_in, true},
             {maps + f * map_size(), shape_.dim},
             {input_gradient + at.first * shape_.maps_in * shape_.dim, shape_.dim, true});
  }
}

// `weights`: a block's own sums, with those of the biases behind.
void FieldConvolution::add_gradients(const float* maps, const float* input, float* weights) const {
  float* const biases = weights + shape_.maps_out * kKernel * shape_.maps_in;
  for (std::int64_t f = 0; f < shape_.fields; ++f) {
    const Window at = window(f);
    const float* const map = maps + f * map_size();
    multiply({shape_.maps_out, at.fields * shape_.maps_in, shape_.dim}, {map, shape_.dim},
             {input + at.first * shape_.maps_in * shape_.dim, shape_.dim, true},
             {weights + at.skipped * shape_.maps_in, kKernel * shape_.maps_in, true});
    for (std::int64_t m = 0; m < shape_.maps_out; ++m) {
      for (std::int64_t k = 0; k < shape_.dim; ++k) biases[m] += map[m * shape_.dim + k];
    }
  }
}

}  // namespace overture::train
