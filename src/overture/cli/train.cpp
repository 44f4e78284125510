#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/cli/commands.h"
#include "overture/cli/counts.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/train_flags.h"
#include "overture/cli/training_run.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string folder;
  bool resume = false;
  bool overwrite = false;
  bool json = false;
  bool no_report = false;
  bool tensorboard = false;
  TrainFlags flags;
};

fs::path results_folder(const TrainOptions& options, const setup::TrainSetup& setup) {
  if (!options.folder.empty()) return options.folder;
  return fs::path("results") /
         (options.setup.empty() ? fs::path(setup.name) : fs::path(options.setup).stem());
}

void print_summary(const setup::TrainSetup& setup, const Trained& done, const fs::path& folder) {
  const train::Totals& totals = done.totals;
  if (done.result.stopped_early) fmt::print("stopped after step {}; --resume goes on\n\n", done.result.steps);
  Table table({"what", "value"});
  table.add({"steps", with_commas(done.result.steps)});
  table.add({"samples/s", fmt::format("{:.0f}", static_cast<double>(totals.samples) / done.seconds)});
  table.add({"loss", fmt::format("{:.5f}", totals.loss)});
  if (!setup::is_local(setup)) {
    table.add({"hit rate", fmt::format("{:.1f} %", 100 * totals.hit_rate())});
    table.add({"rows fetched", with_commas(totals.fetched_rows)});
    table.add({"bytes fetched", to_string(Bytes{totals.fetched_bytes})});
    table.add({"most rows in the cache", with_commas(totals.most_resident_rows)});
    table.add({"waited for rows", fmt::format("{:.2f} s", totals.waited_for_rows_seconds)});
  }
  if (done.metrics) {
    for (const auto& [label, value] : metric_lines(*done.metrics, true)) table.add({label, value});
  }
  if (done.evaluations.size() > 1) {
    const auto best = std::ranges::max_element(done.evaluations, {},
                                               [](const train::HeldOut& one) { return one.metrics.auc; });
    table.add({"best AUC", fmt::format("{:.6f} after step {}", best->metrics.auc, with_commas(best->steps))});
  }
  fmt::print("{}\n", table.text());
  if (!done.why.empty()) fmt::print("why: {}\n", wrap(done.why, 80, 5));
  fmt::print("results: {}\n", folder.string());
  if (fs::exists(folder / "report.html")) fmt::print("report: {}\n", (folder / "report.html").string());
}

int run(const TrainOptions& options) {
  std::vector<std::string> assignments = options.flags.assignments();
  assignments.insert(assignments.end(), options.overrides.begin(), options.overrides.end());
  const setup::TrainSetup setup = setup::load_train_setup(options.setup, assignments);
  const fs::path folder = results_folder(options, setup);
  const Trained done = run_training(setup, {.folder = folder,
                                            .resume = options.resume,
                                            .overwrite = options.overwrite,
                                            .report = !options.no_report,
                                            .tensorboard = options.tensorboard});
  if (options.json) {
    fmt::print("{}", done.summary);
  } else {
    print_summary(setup, done, folder);
  }
  return 0;
}

}  // namespace

void add_train(Command& root) {
  auto options = std::make_shared<TrainOptions>();
  Command command = root.add("train", "Train a recommendation model with a cache that looks ahead");
  command
      .positional("setup", options->setup, "Setup (YAML), unless flags say all; see docs/reference/train.md",
                  false)
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .option("-o,--results", options->folder, "Folder for the results (default: results/<setup name>)")
      .flag("--resume", options->resume, "Go on where the run in the results folder was stopped")
      .flag("--overwrite", options->overwrite, "Replace the run in the results folder")
      .flag("--no-report", options->no_report, "Do not make report.html")
      .flag("--tensorboard", options->tensorboard, "Also write curves for TensorBoard, into tensorboard/")
      .flag("--json", options->json, "Print summary.json instead of a table");
  add_train_flags(command, options->flags);
  command
      .examples(
          "  overture train --synthetic kaggle --scale 0.01 --samples 200000\n"
          "  overture train --data clicks.ovt --arch-mlp-bot 13-512-256-64-16 --arch-mlp-top 512-256-1 \\\n"
          "    --arch-sparse-feature-size 16 --mini-batch-size 2048 --lookahead-value 200\n"
          "  overture train setup.yaml -s optimizer.kind=adagrad --resume")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
