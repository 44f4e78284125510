#include "overture/train/dense/mlp.h"

#include <algorithm>
#include <cmath>

#include "overture/base/check.h"

namespace overture::train {

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
  const std::int64_t stripes = (samples + kSampleStripe - 1) / kSampleStripe;
  for (Layer& layer : layers_)
    layer.bias_gradients.assign(static_cast<std::size_t>(stripes * layer.outputs), 0);
  workers.ranges(samples, kSampleStripe, [&](std::int64_t from, std::int64_t to) {
    pass_back(layers_.back(), from, to, output_gradient);
  });
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    Layer* const before = i == 0 ? nullptr : &layers_[i - 1];
    const LinearShape shape{samples, layer.inputs, layer.outputs};
    add_up_biases(layer);
    linear_weight_gradient(shape, output_gradient, before == nullptr ? input : before->output.data(),
                           parameters_.gradient(layer.weights), workers);
    float* into = input_gradient;
    if (before != nullptr) {
      before->output_gradient.resize(static_cast<std::size_t>(samples * layer.inputs));
      into = before->output_gradient.data();
    }
    if (into == nullptr) return;
    linear_input_gradient(shape, output_gradient, parameters_.value(layer.weights), into, workers,
                          [&](std::int64_t from, std::int64_t to) {
                            if (before != nullptr) pass_back(*before, from, to, into);
                          });
    output_gradient = into;
  }
}

// A stripe of a layer's gradient, while it is at hand: back through ReLU, and its sum for the biases.
void Mlp::pass_back(Layer& layer, std::int64_t from, std::int64_t to, float* gradient) {
  float* const sums = layer.bias_gradients.data() + from / kSampleStripe * layer.outputs;
  for (std::int64_t s = from; s < to; ++s) {
    const float* const output = layer.output.data() + s * layer.outputs;
    float* const row = gradient + s * layer.outputs;
    if (layer.relu) {
      for (std::int64_t i = 0; i < layer.outputs; ++i) row[i] = output[i] > 0 ? row[i] : 0;
    }
    for (std::int64_t i = 0; i < layer.outputs; ++i) sums[i] += row[i];
  }
}

void Mlp::add_up_biases(const Layer& layer) {
  float* const biases = parameters_.gradient(layer.biases);
  std::fill_n(biases, layer.outputs, 0.0f);
  for (auto from = layer.bias_gradients.begin(); from != layer.bias_gradients.end(); from += layer.outputs) {
    for (std::int64_t i = 0; i < layer.outputs; ++i) biases[i] += from[i];
  }
}

}  // namespace overture::train
