#include "overture/setup/trained_model.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/data/dataset.h"
#include "overture/train/checkpoint.h"

namespace overture::setup {

namespace fs = std::filesystem;

TrainSetup load_trained_setup(const fs::path& folder, const fs::path& checkpoint,
                              const std::vector<std::string>& overrides) {
  constexpr const char* kGive = "give the folder that `overture train` wrote";
  if (!fs::is_directory(folder)) throw UserError({.file = folder.string()}, "is not a folder", kGive);
  if (!fs::exists(folder / "setup.yaml") || (checkpoint.empty() && !fs::exists(folder / "checkpoints")))
    throw UserError({.file = folder.string()}, "holds no trained model", kGive);
  return load_train_setup(folder / "setup.yaml", overrides);
}

std::string misfit(const data::Shape& given, const data::Shape& model) {
  return fmt::format("has {} tables and {} dense features; the model has {} and {}", given.tables(),
                     given.dense_features, model.tables(), model.dense_features);
}

TrainedModel open_trained(const fs::path& folder, const fs::path& checkpoint,
                          const std::vector<std::string>& overrides) {
  TrainedModel model{.setup = load_trained_setup(folder, checkpoint, overrides)};
  const fs::path given = checkpoint.empty() ? folder / "checkpoints" : checkpoint;
  const auto whole = train::whole_checkpoint(given);
  if (!whole) {
    throw UserError({.file = given.string()}, "holds no checkpoint",
                    "give the folder that `overture train` wrote, or a checkpoint with --checkpoint");
  }
  model.checkpoint = whole->path;
  model.damaged = whole->damaged;
  data::Shape shape = train::shape_of(model.checkpoint);
  shape.weighted = model.setup.tables.pooling == embedding::Pooling::weighted;
  train::TrainConfig config = make_train_config(model.setup, shape);
  config.fixed.clear();  // where it was trained, and on what, does not matter here
  model.training = std::make_unique<train::LocalTraining>(config, model.checkpoint);
  return model;
}

std::unique_ptr<data::Batches> open_other_data(const TrainedModel& model, const fs::path& file) {
  data::DatasetOptions options = dataset_options(model.setup);
  options.format.reset();
  options.labels = false;
  auto source = data::open_batches(file, options, {.batch_size = model.setup.batch_size});
  const data::Shape trained = train::shape_of(model.checkpoint);
  const data::Shape& shape = source->shape();
  if (shape.tables() != trained.tables() || shape.dense_features != trained.dense_features)
    throw UserError({.file = file.string()}, misfit(shape, trained));
  return source;
}

}  // namespace overture::setup
