#include "overture/train/dense/mlp.h"

#include <cmath>

#include "overture/base/check.h"

namespace overture::train {
namespace {

constexpr std::int64_t kNumbersAtOnce = 1 << 14;

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
  linear_forward({samples, layer.inputs, layer.outputs}, input, parameters_.value(layer.weights),
                 layer.output.data(), {.biases = parameters_.value(layer.biases), .relu = layer.relu},
                 workers);
}

void Mlp::backward(std::int64_t samples, const float* input, float* output_gradient, float* input_gradient,
                   Workers& workers) {
  if (layers_.back().relu) pass_back(layers_.back(), samples, output_gradient, workers);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    Layer* const before = i == 0 ? nullptr : &layers_[i - 1];
    const LinearShape shape{samples, layer.inputs, layer.outputs};
    linear_weight_gradient(shape, output_gradient, before == nullptr ? input : before->output.data(),
                           {parameters_.gradient(layer.weights), parameters_.gradient(layer.biases)},
                           workers);
    float* into = input_gradient;
    if (before != nullptr) {
      before->output_gradient.resize(static_cast<std::size_t>(samples * layer.inputs));
      into = before->output_gradient.data();
    }
    if (into == nullptr) return;
    linear_input_gradient(shape, output_gradient, parameters_.value(layer.weights), into,
                          {.gate = before == nullptr ? nullptr : before->output.data()}, workers);
    output_gradient = into;
  }
}

// Back through the ReLU behind the last layer; the others' are done by the product that ends there.
void Mlp::pass_back(const Layer& layer, std::int64_t samples, float* gradient, Workers& workers) {
  workers.ranges(samples * layer.outputs, kNumbersAtOnce, [&](std::int64_t from, std::int64_t to) {
    const float* const output = layer.output.data();
    for (std::int64_t i = from; i < to; ++i) gradient[i] = output[i] > 0 ? gradient[i] : 0;
  });
}

}  // namespace overture::train
