#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/cli/evaluation.h"
#include "overture/setup/train_setup.h"
#include "overture/train/checkpoint.h"
#include "overture/train/local_training.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
  std::string folder;
  std::string checkpoint;
  std::string data;
  std::vector<std::string> overrides;
  bool json = false;
};

int run(const EvaluateOptions& options) {
  const fs::path folder = options.folder;
  setup::TrainSetup setup = setup::load_train_setup(folder / "setup.yaml", options.overrides);
  if (!options.data.empty()) {
    setup.data = {
        .file = fs::absolute(options.data), .max_bad_rows = setup.data.max_bad_rows, .test_every = 0};
  }
  const auto found = train::latest_checkpoint(options.checkpoint.empty() ? folder / "checkpoints"
                                                                         : fs::path(options.checkpoint));
  if (!found) throw UserError({.file = folder.string()}, "holds no checkpoint to evaluate");
  const auto source = setup::open_train_data(setup, data::Part::test);
  train::LocalTraining training(setup::make_train_config(setup, source->shape()), *found);
  const data::Metrics metrics =
      evaluate(*source, [&](const data::Batch& batch) { return training.predict(batch); });
  if (options.json) {
    const nlohmann::ordered_json root{
        {"checkpoint", found->string()},     {"samples", metrics.samples},
        {"log_loss", metrics.log_loss},      {"auc", metrics.auc},
        {"accuracy", metrics.accuracy},      {"normalized_entropy", metrics.normalized_entropy},
        {"calibration", metrics.calibration}};
    fmt::print("{}\n", write_json(root, 2));
    return 0;
  }
  Table table({"what", "value"});
  for (const auto& [label, value] : metric_lines(metrics)) table.add({label, value});
  fmt::print("{}\n\n{}", found->string(), table.text());
  return 0;
}

}  // namespace

void add_evaluate(Command& root) {
  auto options = std::make_shared<EvaluateOptions>();
  Command command = root.add("evaluate", "Say how good a trained model is: log-loss, AUC, accuracy");
  command.positional("results", options->folder, "Folder that `overture train` wrote")
      .option("--checkpoint", options->checkpoint, "One of its checkpoints (default: the newest)")
      .option("--data", options->data, "Other data, all of it, instead of what was held out")
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .flag("--json", options->json, "Print JSON instead of a table")
      .examples("  overture evaluate results/train\n  overture evaluate results/train --data day_23.tsv.gz")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
