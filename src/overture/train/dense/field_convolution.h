// FieldConvolution: a layer of FGCNN (Liu et al., 2019). Maps of fields x columns are convolved along the
// fields, seven at a time; of every two neighbouring fields the larger number goes on, through tanh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/train/dense/matrix.h"
#include "overture/train/dense/parameters.h"

namespace overture::train {

struct ConvolutionShape {
  std::int64_t fields;
  std::int64_t maps_in;
  std::int64_t maps_out;
  std::int64_t dim;

  std::int64_t pooled() const { return (fields + 1) / 2; }  // an odd one at the end stays
  std::int64_t inputs() const { return fields * maps_in * dim; }
  std::int64_t outputs() const { return pooled() * maps_out * dim; }
};

class FieldConvolution {
 public:
  // `parameters` outlives the object.
  FieldConvolution(const std::string& name, const ConvolutionShape& shape, Parameters& parameters);

  const ConvolutionShape& shape() const { return shape_; }

  // Of every sample: in fields x maps_in x dim, out pooled x maps_out x dim; good until the next call.
  const float* forward(std::int64_t samples, const float* input, Workers& workers);
  // After forward() with the same input.
  void backward(std::int64_t samples, const float* input, const float* output_gradient, float* input_gradient,
                Workers& workers);

 private:
  struct Window {
    std::int64_t first;    // field
    std::int64_t fields;   // that lie within the sample
    std::int64_t skipped;  // rows of the kernel before the first field
  };

  Window window(std::int64_t field) const;
  std::int64_t map_size() const { return shape_.maps_out * shape_.dim; }
  void convolve(const float* input, float* maps);
  void pool(const float* maps, std::int64_t sample);
  void unpool(const float* output_gradient, std::int64_t sample, float* maps) const;
  void spread(const float* maps, float* input_gradient);
  void add_gradients(const float* maps, const float* input, float* weights) const;

  ConvolutionShape shape_;
  Parameters& parameters_;
  std::int64_t weights_;  // maps_out x (7 x maps_in)
  std::int64_t biases_;
  Floats output_;
  std::vector<std::uint8_t> second_;  // whether the second of two fields went on
  Floats partial_;                    // gradients of weights and biases, for every block of samples
};

}  // namespace overture::train
