#include "overture/train/dense/mlp.h"

#include <algorithm>
#include <cmath>

#include "overture/base/check.h"

namespace overture::train {
namespace {

constexpr std::int64_t kElementsAtOnce = 1 << 14;

}  // namespace

Mlp::Mlp(const std::string& name, const std::vector<int>& sizes, LastLayer last, Parameters& parameters)
    : parameters_(parameters) {
  check(sizes.size() >= 2, "an MLP has a layer");
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const std::string layer = name + "." + std::to_string(i - 1);
    const double inputs = sizes[i - 1];
    const double outputs = sizes[i];
    layers_.push_back({.inputs = sizes[i - 1],
                       .outputs = sizes[i],
                       .weights = parameters.add(layer + ".weight", std::int64_t{sizes[i - 1]} * sizes[i],
                                                 std::sqrt(2 / (inputs + outputs))),
                       .biases = parameters.add(layer + ".bias", sizes[i], std::sqrt(1 / outputs)),
                       .relu = i + 1 < sizes.size() || last == LastLayer::relu});
  }
}

const float* Mlp::forward(std::int64_t samples, const float* input, Workers& workers) {
  for (Layer& layer : layers_) {
    forward(samples, input, layer, workers);
    input = layer.output.data();
  }
  return input;
}

void Mlp::forward(std::int64_t samples, const float* input, Layer& layer, Workers& workers) {
  layer.output.resize(static_cast<std::size_t>(samples * layer.outputs));
  const float* const biases = parameters_.value(layer.biases);
  linear_forward({samples, layer.inputs, layer.outputs}, input, parameters_.value(layer.weights),
                 layer.output.data(), workers, [&](std::int64_t from, std::int64_t to) {
                   for (std::int64_t s = from; s < to; ++s) {
                     float* const row = layer.output.data() + s * layer.outputs;
                     if (layer.relu) {
                       for (std::int64_t i = 0; i < layer.outputs; ++i) {
                         const float sum = row[i] + biases[i];
                         row[i] = sum > 0 ? sum : 0;
                       }
                     } else {
                       for (std::int64_t i = 0; i < layer.outputs; ++i) row[i] += biases[i];
                     }
                   }
                 });
}

void Mlp::backward(std::int64_t samples, const float* input, float* output_gradient, float* input_gradient,
                   Workers& workers) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const bool first = i == 0;
    float* into = input_gradient;
    if (!first) {
      Floats& gradient = layers_[i - 1].output_gradient;
      gradient.resize(static_cast<std::size_t>(samples * layers_[i].inputs));
      into = gradient.data();
    }
    backward(samples, first ? input : layers_[i - 1].output.data(), layers_[i], output_gradient, into,
             workers);
    output_gradient = into;
  }
}

void Mlp::backward(std::int64_t samples, const float* input, Layer& layer, float* output_gradient,
                   float* input_gradient, Workers& workers) {
  const LinearShape shape{samples, layer.inputs, layer.outputs};
  if (layer.relu) {
    const float* const output = layer.output.data();
    workers.ranges(samples * layer.outputs, kElementsAtOnce, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) output_gradient[i] = output[i] > 0 ? output_gradient[i] : 0;
    });
  }
  float* const biases = parameters_.gradient(layer.biases);
  linear_weight_gradient(shape, output_gradient, input, parameters_.gradient(layer.weights), workers,
                         [&](std::int64_t from, std::int64_t to) {
                           std::fill(biases + from, biases + to, 0.0f);
                           for (std::int64_t s = 0; s < samples; ++s) {
                             const float* const row = output_gradient + s * layer.outputs;
                             for (std::int64_t i = from; i < to; ++i) biases[i] += row[i];
                           }
                         });
  if (input_gradient != nullptr)
    linear_input_gradient(shape, output_gradient, parameters_.value(layer.weights), input_gradient, workers);
}

}  // namespace overture::train
