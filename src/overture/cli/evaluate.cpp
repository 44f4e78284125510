#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/output.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/setup/train_setup.h"
#include "overture/setup/trained_model.h"
#include "overture/train/checkpoint.h"
#include "overture/train/dense/models.h"
#include "overture/train/local_training.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
  std::string folder;
  std::string checkpoint;
  std::string data;
  std::vector<std::string> overrides;
  Output output;
};

struct Evaluated {
  fs::path checkpoint;
  std::string model;  // what it is, in words
  std::int64_t steps = 0;
  data::Metrics metrics;
  std::string digest;  // of all predictions
  double seconds = 0;
  bool complete = true;  // else of those samples that were read until Ctrl-C
};

setup::TrainSetup setup_of(const EvaluateOptions& options) {
  setup::TrainSetup setup = setup::load_trained_setup(options.folder, options.checkpoint, options.overrides);
  if (!setup.data.ids.empty()) setup.data.ids = fs::absolute(fs::path(options.folder) / setup.data.ids);
  if (options.data.empty()) return setup;
  setup.data = {.file = fs::absolute(options.data),
                .ids = setup.data.ids,
                .max_ind_range = setup.data.max_ind_range,
                .max_bad_rows = setup.data.max_bad_rows,
                .test_every = 0};
  setup.evaluate_every = 0;
  return setup;
}

// Other data is read with the model's tables, whatever it says of its own: a test set has fewer ids.
void take_tables(setup::TrainSetup& setup, const fs::path& checkpoint, const std::string& data) {
  const data::Shape model = train::shape_of(checkpoint);
  const data::Shape given = setup::open_train_data(setup, data::Part::all)->shape();
  if (given.tables() != model.tables() || given.dense_features != model.dense_features)
    throw UserError({.file = data}, setup::misfit(given, model));
  setup.tables.rows = fmt::format("{}", fmt::join(model.table_rows, "-"));
}

Evaluated evaluate_checkpoint(const setup::TrainSetup& setup, const fs::path& checkpoint) {
  const auto source = setup::open_train_data(setup, data::Part::test);
  train::TrainConfig config = setup::make_train_config(setup, source->shape());
  config.fixed.clear();  // other data may be evaluated, too
  train::LocalTraining training(config, checkpoint);
  Digest digest;
  Evaluated done{
      .checkpoint = checkpoint, .model = train::describe(config.model), .steps = training.first_step()};
  const auto started = std::chrono::steady_clock::now();
  done.metrics = evaluate(*source,
                          naming_the_file(
                              [&](const data::Batch& batch) {
                                const std::span<const float> logits = training.predict(batch);
                                for (const float logit : logits) digest.add_bits(static_cast<double>(logit));
                                return logits;
                              },
                              setup.data.file),
                          [&] { return share_read(*source); });
  done.complete = !Interrupt::requested();
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  done.digest = digest.text();
  return done;
}

std::string summary_of(const setup::TrainSetup& setup, const Evaluated& done) {
  Json root = report::summary_head({.kind = "evaluate", .name = setup.name, .seed = setup.seed});
  root.update({{"model", done.model},
               {"checkpoint", done.checkpoint.string()},
               {"steps", done.steps},
               {"complete", done.complete},
               {"seconds", done.seconds}});
  root.update(metrics_json(done.metrics));
  root["digest"] = done.digest;
  root["setup_yaml"] = setup::write_train_setup(setup);
  return report::summary_text(root);
}

// "best" is the one that the run's summary names.
fs::path checkpoint_given(const EvaluateOptions& options) {
  if (options.checkpoint.empty()) return fs::path(options.folder) / "checkpoints";
  if (options.checkpoint != "best") return options.checkpoint;
  const fs::path file = fs::path(options.folder) / "summary.json";
  const Json summary = parse_json(read_file(file));
  if (!summary.is_object() || !summary.contains("best_checkpoint") || !summary["best_checkpoint"].is_string())
    throw UserError({.file = file.string()}, "names no best checkpoint",
                    "train with evaluate_every and checkpoint_every, or with patience");
  return fs::path(options.folder) / "checkpoints" /
         fs::path(summary["best_checkpoint"].get<std::string>()).filename();
}

int run(const EvaluateOptions& options) {
  setup::TrainSetup setup = setup_of(options);
  const fs::path given = checkpoint_given(options);
  const auto whole = train::whole_checkpoint(given);
  for (const std::string& damage : whole ? whole->damaged : std::vector<std::string>())
    fmt::print(stderr, "warning: {}\n", damage);
  const std::optional<fs::path> found = whole ? std::optional(whole->path) : std::nullopt;
  if (!found) {
    throw UserError({.file = given.string()}, "holds no checkpoint to evaluate",
                    "give the folder that `overture train` wrote, or a checkpoint with --checkpoint");
  }
  if (!options.data.empty()) take_tables(setup, *found, options.data);
  const fs::path folder = options.output.folder_or(fs::path(options.folder) / "evaluation");
  claim(options.output, folder, "evaluate", setup::write_train_setup(setup));
  const Interrupt interrupt;
  Interrupt::end_after(0);  // while the checkpoint is read nobody asks
  const Evaluated done = evaluate_checkpoint(setup, *found);
  if (done.metrics.samples == 0 && !done.complete) return kInterrupted;
  const std::string summary = summary_of(setup, done);
  write_file(folder / "setup.yaml", setup::write_train_setup(setup));
  write_quality(done.metrics, folder);
  write_file(folder / "summary.json", summary);
  if (!options.output.no_report) report::write_html(folder);
  json_result(summary);
  Table table({"what", "value"});
  table.add({"steps trained", with_commas(done.steps)});
  for (const auto& [label, value] : metric_lines(done.metrics, setup.data.test_every > 0))
    table.add({label, value});
  fmt::print("{}\ncheckpoint: {}\n", table.text(), found->string());
  if (!done.complete) fmt::print("interrupted: these numbers are of the samples read so far\n");
  print_where(folder, options.output);
  return done.complete ? 0 : kInterrupted;
}

}  // namespace

void add_evaluate(Command& root) {
  auto options = std::make_shared<EvaluateOptions>();
  Command command = root.add("evaluate", "Measure how good a trained model is: log-loss, AUC, accuracy");
  add_output(command, options->output, "evaluation/ in that folder");
  command.positional("results", options->folder, "Folder that `overture train` wrote")
      .option("--checkpoint NAME", options->checkpoint,
              "Checkpoint to use, or best: the one with the highest AUC (default: the newest)")
      .option("--data FILE", options->data, "Evaluate on all of this data, instead of the held-out samples")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .examples("  overture evaluate results/train\n  overture evaluate results/train --data day_23.tsv.gz")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
