#include "overture/train/dense/loss.h"

#include <algorithm>
#include <cmath>

namespace overture::train {

float sigmoid(float logit) { return 1.0f / (1.0f + std::exp(-logit)); }

double cross_entropy(std::span<const float> logits, std::span<const float> labels,
                     std::int64_t global_samples, std::span<float> gradients) {
  const float share = 1.0f / static_cast<float>(global_samples);
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double z = static_cast<double>(logits[i]);
    // log(1 + e^z) - y z without overflow.
    loss += std::max(z, 0.0) - z * static_cast<double>(labels[i]) + std::log1p(std::exp(-std::abs(z)));
    gradients[i] = (sigmoid(logits[i]) - labels[i]) * share;
  }
  return loss;
}

}  // namespace overture::train
