#include <chrono>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/progress.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/cli/commands.h"
#include "overture/cli/counts.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/train_flags.h"
#include "overture/cli/train_record.h"
#include "overture/cli/version.h"
#include "overture/report/html.h"
#include "overture/setup/train_setup.h"
#include "overture/train/checkpoint.h"
#include "overture/train/local_training.h"
#include "overture/train/results.h"
#include "overture/train/session.h"
#include "overture/train/tensorboard.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

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

struct Done {
  train::RunResult result;
  train::Totals totals;
  double seconds = 0;
  std::optional<data::Metrics> metrics;
  std::string digest;
  std::string why;
};

double seconds_since(Clock::time_point started) {
  return std::chrono::duration<double>(Clock::now() - started).count();
}

// One line that is drawn anew while training runs; only on a terminal.
class LiveLine {
 public:
  void show(const train::Totals& totals, double seconds, std::int64_t step) {
    if (!terminal_ || Clock::now() - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = Clock::now();
    fmt::print(stderr, "\r\033[Kstep {}  {:.0f} samples/s  loss {:.5f}  hits {:.1f} %", step,
               static_cast<double>(totals.samples) / seconds, totals.loss, 100 * totals.hit_rate());
    std::fflush(stderr);
  }
  void clear() const {
    if (terminal_ && drawn_ != Clock::time_point{}) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point drawn_{};
};

fs::path results_folder(const TrainOptions& options, const setup::TrainSetup& setup) {
  if (!options.folder.empty()) return options.folder;
  return fs::path("results") /
         (options.setup.empty() ? fs::path(setup.name) : fs::path(options.setup).stem());
}

// The checkpoint to go on from; empty to start afresh. A finished run is not overwritten by accident.
fs::path starting_point(const TrainOptions& options, const fs::path& folder) {
  const auto found = train::latest_checkpoint(folder / "checkpoints");
  if (options.resume) {
    if (!found) throw UserError({.file = folder.string()}, "holds no checkpoint to resume from");
    return *found;
  }
  if (found && !options.overwrite) {
    throw UserError({.file = folder.string()}, "holds a training run already",
                    "go on with it by --resume, replace it by --overwrite, or name another folder with -o");
  }
  std::error_code error;
  fs::remove_all(folder / "checkpoints", error);
  fs::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be made: " + error.message());
  return {};
}

// The curves that people watch while training runs, by steps.
class TensorBoard {
 public:
  TensorBoard(const fs::path& folder, std::int64_t first_step) : file_(folder, first_step, now()) {}

  void add(const train::StepReport& report, const train::Totals& totals, double seconds) {
    const double hit_rate =
        report.rows == 0 ? 0 : static_cast<double>(report.hits) / static_cast<double>(report.rows);
    write(report.step,
          {{"loss", static_cast<float>(report.loss)},
           {"hit rate", static_cast<float>(hit_rate)},
           {"samples per second", static_cast<float>(static_cast<double>(totals.samples) / seconds)},
           {"fetched bytes", static_cast<float>(report.fetched_bytes)},
           {"rows in the cache", static_cast<float>(report.resident_rows)}});
  }
  void add(std::int64_t step, const data::Metrics& metrics) {
    write(step, {{"held out/AUC", static_cast<float>(metrics.auc)},
                 {"held out/log-loss", static_cast<float>(metrics.log_loss)}});
  }

 private:
  void write(std::int64_t step, std::initializer_list<train::Scalar> scalars) {
    file_.add(step, now(), {scalars.begin(), scalars.end()});
  }
  static double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }

  train::EventFile file_;
};

// The curve is drawn in the report; without one, nobody would look at it.
template <class Training>
train::RunResult run_watched(Training& training, data::Batches& source, const train::RunOptions& options,
                             const fs::path& folder, bool with_report) {
  if (!with_report) return training.run(source, options);
  report::MissRatioCurve curve;
  WatchedBatches watched(source, curve);
  train::RunResult result = training.run(watched, options);
  write_file(folder / "miss_ratio.csv", curve.csv());
  return result;
}

template <class Training>
Done run_training(Training& training, const setup::TrainSetup& setup, data::Batches& source,
                  const fs::path& folder, const TrainOptions& asked) {
  const Interrupt interrupt;
  Done done;
  LiveLine line;
  TrainRecord record(setup.trainers);
  train::MetricsFile metrics(folder / "metrics.jsonl", training.first_step());
  std::optional<TensorBoard> curves;
  if (asked.tensorboard) curves.emplace(folder / "tensorboard", training.first_step());
  const auto started = Clock::now();
  train::RunOptions options{.checkpoints = folder / "checkpoints",
                            .checkpoint_every = setup.checkpoint_every};
  if (setup.steps > 0) options.steps = std::max<std::int64_t>(setup.steps - training.first_step(), 0);
  options.stop = [] { return Interrupt::requested(); };
  options.on_step = [&](const train::StepReport& report) {
    const double seconds = seconds_since(started);
    done.totals.add(report);
    metrics.add(report, seconds);
    if (curves) curves->add(report, done.totals, seconds);
    record.add(report, seconds);
    line.show(done.totals, seconds, report.step + 1);
  };
  done.result = run_watched(training, source, options, folder, !asked.no_report);
  done.seconds = seconds_since(started);
  line.clear();
  record.write_trace(folder);
  done.digest = record.digest();
  done.why = train_why(done.totals, done.seconds, !setup::is_local(setup));
  if (setup.data.test_every > 0 && !done.result.stopped_early) {
    const auto held_out = setup::open_train_data(setup, data::Part::test);
    done.metrics = evaluate(*held_out, [&](const data::Batch& batch) { return training.predict(batch); });
    if (curves) curves->add(done.result.steps, *done.metrics);
  }
  return done;
}

json summary(const setup::TrainSetup& setup, const std::string& setup_yaml, const Done& done,
             std::size_t table_bytes) {
  const train::Totals& totals = done.totals;
  json root = report::summary_head(
      {.kind = "train", .name = setup.name, .version = version_text(), .seed = setup.seed, .why = done.why});
  root.update({{"steps", done.result.steps},
               {"steps_of_this_run", totals.steps},
               {"stopped_early", done.result.stopped_early},
               {"seconds", done.seconds},
               {"samples_per_second", static_cast<double>(totals.samples) / done.seconds},
               {"loss", totals.loss},
               {"table_bytes", table_bytes},
               {"lookups", totals.lookups},
               {"rows", totals.rows},
               {"hit_rate", totals.hit_rate()},
               {"critical_rows", totals.critical_rows},
               {"most_resident_rows", totals.most_resident_rows},
               {"fetched_rows", totals.fetched_rows},
               {"fetched_bytes", totals.fetched_bytes},
               {"stored_bytes", totals.stored_bytes},
               {"compute_seconds", totals.compute_seconds},
               {"waited_for_plan_seconds", totals.waited_for_plan_seconds},
               {"waited_for_rows_seconds", totals.waited_for_rows_seconds},
               {"waited_for_peers_seconds", totals.waited_for_peers_seconds}});
  if (done.metrics) {
    root["held_out"] = {{"samples", done.metrics->samples},
                        {"log_loss", done.metrics->log_loss},
                        {"auc", done.metrics->auc},
                        {"accuracy", done.metrics->accuracy},
                        {"normalized_entropy", done.metrics->normalized_entropy},
                        {"calibration", done.metrics->calibration}};
  }
  root["checkpoint"] = done.result.checkpoint.string();
  root["digest"] = done.digest;
  root["setup_yaml"] = setup_yaml;
  return root;
}

void print_summary(const setup::TrainSetup& setup, const Done& done, const fs::path& folder) {
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
    for (const auto& [label, value] : metric_lines(*done.metrics)) table.add({label, value});
  }
  fmt::print("{}\n", table.text());
  if (!done.why.empty()) fmt::print("why: {}\n", wrap(done.why, 80, 5));
  fmt::print("results: {}\n", folder.string());
  if (fs::exists(folder / "report.html")) fmt::print("report: {}\n", (folder / "report.html").string());
}

std::size_t table_bytes(const train::TrainConfig& config) {
  std::size_t bytes = 0;
  for (int server = 0; server < config.servers; ++server)
    bytes += embedding::Tables::bytes(config.tables, {.index = server, .count = config.servers});
  return bytes;
}

int run(const TrainOptions& options) {
  std::vector<std::string> assignments = options.flags.assignments();
  assignments.insert(assignments.end(), options.overrides.begin(), options.overrides.end());
  const setup::TrainSetup setup = setup::load_train_setup(options.setup, assignments);
  const auto source = setup::open_train_data(setup, data::Part::train);
  const train::TrainConfig config = setup::make_train_config(setup, source->shape());
  const fs::path folder = results_folder(options, setup);
  const fs::path checkpoint = starting_point(options, folder);
  setup::TrainSetup as_run = setup;
  if (!setup.data.file.empty())
    as_run.data.file = fs::absolute(fs::path(setup.file).parent_path() / setup.data.file);
  const std::string setup_yaml = setup::write_train_setup(as_run);
  write_file(folder / "setup.yaml", setup_yaml);
  Done done;
  if (setup::is_local(setup)) {
    train::LocalTraining training(config, checkpoint);
    done = run_training(training, setup, *source, folder, options);
  } else {
    train::Session training(config, checkpoint);
    done = run_training(training, setup, *source, folder, options);
  }
  const std::string text = report::summary_text(summary(setup, setup_yaml, done, table_bytes(config)));
  write_file(folder / "summary.json", text);
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", text);
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
