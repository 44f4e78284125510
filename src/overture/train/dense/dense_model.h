// DenseModel: what a model makes of dense features and pooled embedding rows. This is the interface that a
// new model implements, in one file; tables, cache, optimizers, exchange and checkpoints come with it.
#pragma once

#include <cstdint>
#include <span>

#include "overture/train/dense/matrix.h"
#include "overture/train/dense/parameters.h"

namespace overture::train {

struct ModelInput {
  std::int64_t samples = 0;
  const float* dense = nullptr;       // samples x dense features
  const float* embeddings = nullptr;  // samples x width, the tables' columns side by side
  std::int64_t step = 0;              // of training; random choices draw from it
  bool training = true;
};

class DenseModel {
 public:
  virtual ~DenseModel() = default;

  // What is trained. The model adds to it in its constructor and reads it whenever it runs.
  virtual Parameters& parameters() = 0;

  // One logit per sample. A sample's logit must not depend on the number of threads.
  virtual void forward(const ModelInput& input, std::span<float> logits, Workers& workers) = 0;

  // After forward() with the same input: overwrites the parameters' gradients and that of the embeddings. No
  // order of additions may depend on the number of threads.
  virtual void backward(const ModelInput& input, std::span<const float> logit_gradients,
                        std::span<float> embedding_gradients, Workers& workers) = 0;
};

}  // namespace overture::train
