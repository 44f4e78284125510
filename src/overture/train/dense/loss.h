// Binary cross entropy of logits against labels.
#pragma once

#include <cstdint>
#include <span>

namespace overture::train {

float sigmoid(float logit);

// The loss summed over the samples, in their order. `gradients` gets that of the loss divided by
// `global_samples`: the batch of all trainers, so that their gradients simply add up.
double cross_entropy(std::span<const float> logits, std::span<const float> labels,
                     std::int64_t global_samples, std::span<float> gradients);

}  // namespace overture::train
