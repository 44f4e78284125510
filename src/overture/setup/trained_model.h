// A model that `overture train` left in a folder: its setup, the newest checkpoint that is whole, and the
// model itself, to predict with or to take out. The data that it was trained on is not needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "overture/setup/train_setup.h"
#include "overture/train/local_training.h"

namespace overture::setup {

struct TrainedModel {
  TrainSetup setup;
  std::filesystem::path checkpoint;
  std::vector<std::string> damaged;  // why newer checkpoints were skipped
  std::unique_ptr<train::LocalTraining> training;
};

// The setup of the training in a folder; with `checkpoint` the model is somewhere else. Throws UserError,
// also when `folder` holds no training.
TrainSetup load_trained_setup(const std::filesystem::path& folder, const std::filesystem::path& checkpoint,
                              const std::vector<std::string>& overrides);

// `checkpoint` is one of the folder's, or empty for the newest. Throws UserError.
TrainedModel open_trained(const std::filesystem::path& folder, const std::filesystem::path& checkpoint,
                          const std::vector<std::string>& overrides = {});

// Other data for the model, from its first to its last sample. Labels may be missing where the format can do
// without. Throws UserError.
std::unique_ptr<data::Batches> open_other_data(const TrainedModel& model, const std::filesystem::path& file);

// "has 21 tables and 13 dense features; the model has 26 and 13".
std::string misfit(const data::Shape& given, const data::Shape& model);

}  // namespace overture::setup
