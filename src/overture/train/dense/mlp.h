// Mlp: linear layers one after the other, each followed by ReLU except, if so wished, the last. Keeps what
// the backward pass needs of the last forward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/train/dense/matrix.h"
#include "overture/train/dense/parameters.h"

namespace overture::train {

enum class LastLayer : std::uint8_t { relu, linear };

class Mlp {
 public:
  // `sizes`: inputs, then the outputs of every layer. Starts as DLRM does: weights with variance 2/(in+out),
  // biases 1/out. `parameters` outlives the object.
  Mlp(const std::string& name, const std::vector<int>& sizes, LastLayer last, Parameters& parameters);

  std::int64_t inputs() const { return layers_.front().inputs; }
  std::int64_t outputs() const { return layers_.back().outputs; }

  // samples x outputs; good until the next call.
  const float* forward(std::int64_t samples, const float* input, Workers& workers);
  // After forward() with the same input. Overwrites `output_gradient`. `input_gradient` may be null.
  void backward(std::int64_t samples, const float* input, float* output_gradient, float* input_gradient,
                Workers& workers);

 private:
  struct Layer {
    std::int64_t inputs;
    std::int64_t outputs;
    std::int64_t weights;  // where they start
    std::int64_t biases;
    bool relu;
    Floats output;
    Floats output_gradient;  // of all but the last layer
  };

  void forward(std::int64_t samples, const float* input, Layer& layer, Workers& workers);
  static void pass_back(const Layer& layer, std::int64_t samples, float* gradient, Workers& workers);

  Parameters& parameters_;
  std::vector<Layer> layers_;
};

}  // namespace overture::train
