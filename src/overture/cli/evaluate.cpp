#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/cli/counts.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/version.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
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
  std::string out;
  bool json = false;
  bool no_report = false;
};

struct Evaluated {
  fs::path checkpoint;
  std::int64_t steps = 0;
  data::Metrics metrics;
  std::string digest;  // of all predictions
  double seconds = 0;
};

fs::path results_folder_of(const EvaluateOptions& options) {
  return options.out.empty() ? fs::path(options.folder) / "evaluation" : fs::path(options.out);
}

setup::TrainSetup setup_of(const EvaluateOptions& options) {
  setup::TrainSetup setup =
      setup::load_train_setup(fs::path(options.folder) / "setup.yaml", options.overrides);
  if (options.data.empty()) return setup;
  setup.data = {.file = fs::absolute(options.data), .max_bad_rows = setup.data.max_bad_rows, .test_every = 0};
  setup.evaluate_every = 0;
  return setup;
}

Evaluated evaluate_checkpoint(const setup::TrainSetup& setup, const fs::path& checkpoint) {
  const auto source = setup::open_train_data(setup, data::Part::test);
  train::TrainConfig config = setup::make_train_config(setup, source->shape());
  config.fixed.clear();  // other data may be evaluated, too
  train::LocalTraining training(config, checkpoint);
  report::Digest digest;
  Evaluated done{.checkpoint = checkpoint, .steps = training.first_step()};
  const auto started = std::chrono::steady_clock::now();
  done.metrics = evaluate(*source, [&](const data::Batch& batch) {
    const std::span<const float> logits = training.predict(batch);
    for (const float logit : logits) digest.add_bits(static_cast<double>(logit));
    return logits;
  });
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  done.digest = digest.text();
  return done;
}

std::string summary_of(const setup::TrainSetup& setup, const Evaluated& done) {
  Json root = report::summary_head(
      {.kind = "evaluate", .name = setup.name, .version = version_text(), .seed = setup.seed});
  root.update({{"checkpoint", done.checkpoint.string()}, {"steps", done.steps}, {"seconds", done.seconds}});
  root.update(metrics_json(done.metrics));
  root["digest"] = done.digest;
  root["setup_yaml"] = setup::write_train_setup(setup);
  return report::summary_text(root);
}

int run(const EvaluateOptions& options) {
  const setup::TrainSetup setup = setup_of(options);
  const fs::path given =
      options.checkpoint.empty() ? fs::path(options.folder) / "checkpoints" : fs::path(options.checkpoint);
  const auto whole = train::whole_checkpoint(given);
  for (const std::string& damage : whole ? whole->damaged : std::vector<std::string>())
    fmt::print(stderr, "warning: {}\n", damage);
  const std::optional<fs::path> found = whole ? std::optional(whole->path) : std::nullopt;
  if (!found) {
    throw UserError({.file = given.string()}, "holds no checkpoint to evaluate",
                    "give the folder that `overture train` wrote, or a checkpoint with --checkpoint");
  }
  const Evaluated done = evaluate_checkpoint(setup, *found);
  const fs::path folder = results_folder_of(options);
  const std::string summary = summary_of(setup, done);
  report::make_results_folder(folder);
  write_file(folder / "setup.yaml", setup::write_train_setup(setup));
  write_file(folder / "summary.json", summary);
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", summary);
    return 0;
  }
  Table table({"what", "value"});
  table.add({"steps trained", with_commas(done.steps)});
  for (const auto& [label, value] : metric_lines(done.metrics, setup.data.test_every > 0))
    table.add({label, value});
  fmt::print("{}\ncheckpoint: {}\nresults: {}\n", table.text(), found->string(), folder.string());
  if (!options.no_report) fmt::print("report: {}\n", (folder / "report.html").string());
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
      .option("-o,--results", options->out, "Folder for the results (default: evaluation/ in the folder)")
      .flag("--no-report", options->no_report, "Do not make report.html")
      .flag("--json", options->json, "Print summary.json instead of a table")
      .examples("  overture evaluate results/train\n  overture evaluate results/train --data day_23.tsv.gz")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
