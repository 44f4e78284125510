// The weights of a trained model in files of others: npz, torch's, safetensors. All tables come first,
// tables.0.weight, tables.1.weight, ..., rows x columns; then the dense parameters in their own order, a
// linear layer's weight as outputs x inputs. What optimizers remember stays in checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "overture/train/local_training.h"

namespace overture::train {

enum class WeightsFormat : std::uint8_t { npz, torch, safetensors };

// Throws UserError for another word.
WeightsFormat weights_format(const std::string& word);

// Numbers that stand together under a name. They are visited piece by piece, in order; a reader may change
// them.
struct WeightsArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::function<void(const std::function<void(std::span<float>)>&)> visit;

  std::int64_t size() const;
};

// Good for as long as the training is.
std::vector<WeightsArray> weights_of(LocalTraining& training);

// All throw UserError.
void write_weights(std::vector<WeightsArray>& arrays, WeightsFormat format,
                   const std::filesystem::path& file);
// Files that write_weights() or anybody else wrote: arrays are known by their names; what is missing, or has
// another shape, is said. npz and safetensors, told by their first bytes; of torch's, those that hold a
// dictionary of float32 tensors.
void read_weights(std::vector<WeightsArray>& arrays, const std::filesystem::path& file);

// A checkpoint of no steps in `folder` with these weights, to start training from.
std::filesystem::path checkpoint_of_weights(const TrainConfig& config, const std::filesystem::path& file,
                                            const std::filesystem::path& folder);

}  // namespace overture::train
