#include "overture/cli/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/bad_rows.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/run_progress.h"
#include "overture/cli/train_record.h"
#include "overture/cli/train_watch.h"
#include "overture/cli/training_ids.h"
#include "overture/recording/recording.h"
#include "overture/recording/writer.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/setup/train_ids.h"
#include "overture/train/checkpoint.h"
#include "overture/train/local_training.h"
#include "overture/train/session.h"
#include "overture/train/weights.h"

namespace overture::cli {
namespace {

constexpr const char* kStartAgain =
    "start without --resume; if a run ended there before its first checkpoint, with --overwrite";

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point started) {
  return std::chrono::duration<double>(Clock::now() - started).count();
}

// 0 when only the end of the data tells.
std::int64_t steps_expected(const setup::TrainSetup& setup) {
  if (setup.steps > 0) return setup.steps;
  if (setup.data.synthetic.empty()) return 0;
  const auto samples = static_cast<std::int64_t>(setup.data.samples);
  const std::int64_t held_out = setup.data.test_every > 0 ? samples / setup.data.test_every : 0;
  const std::int64_t of_an_epoch = (samples - held_out + setup.batch_size - 1) / setup.batch_size;
  return of_an_epoch * setup.data.epochs;  // batches do not reach across
}

// JSON has no word for what is not a number.
std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

// Notes every step, evaluation and checkpoint of a run. Its clock stands still while nothing is trained.
class RunNotes {
 public:
  RunNotes(const setup::TrainSetup& setup, const TrainingAsked& asked, std::int64_t first_step)
      : tells_(setup.evaluate_every > 0 && !asked.quiet),
        progress_({.folder = asked.folder,
                   .kind = "train",
                   .name = setup.name,
                   .what = "steps",
                   .total = steps_expected(setup),
                   .line = false}),
        line_(steps_expected(setup)),
        file_(asked.folder / "metrics.jsonl", first_step) {
    if (asked.tensorboard) curves_.emplace(asked.folder / "tensorboard", first_step);
  }

  void add(const train::StepReport& report) {
    done_.totals.add(report);
    const double now = seconds();
    done_.iterations.add(now - std::exchange(last_step_, now));
    file_.add(report, seconds());
    if (curves_) curves_->add(report, done_.totals, seconds());
    record_.add(report);
    progress_.update(report.step + 1, fmt::format("\"loss\": {}", number_text(done_.totals.loss)));
    line_.show(done_.totals, seconds(), report.step + 1);
  }

  // Evaluations since the best one.
  std::int64_t without_improvement() const { return without_improvement_; }

  void add(const train::HeldOut& held_out) {
    without_improvement_ = held_out.metrics.auc > best_auc_ ? 0 : without_improvement_ + 1;
    best_auc_ = std::max(best_auc_, held_out.metrics.auc);
    done_.metrics = held_out.metrics;
    done_.evaluation_seconds += held_out.seconds;
    file_.add(held_out);
    if (curves_) curves_->add(held_out);
    if (tells_) line_.tell(held_out);
  }

  void add_checkpoint(double seconds) {
    done_.checkpoint_seconds += seconds;
    file_.add_checkpoint(seconds);
  }

  void finish_training() {
    done_.seconds = seconds();
    progress_.finish();
    line_.clear();
  }
  Trained finish(const fs::path& folder) {
    record_.write_trace(folder);
    done_.digest = record_.digest();
    done_.evaluations = file_.evaluations();
    return std::move(done_);
  }

 private:
  double seconds() const {
    return seconds_since(started_) - done_.evaluation_seconds - done_.checkpoint_seconds;
  }

  Trained done_;
  bool tells_;
  RunProgress progress_;
  LiveLine line_;
  TrainRecord record_;
  train::MetricsFile file_;
  std::optional<TensorBoard> curves_;
  double last_step_ = 0;  // when it ended
  double best_auc_ = -1;
  std::int64_t without_improvement_ = 0;
  Clock::time_point started_ = Clock::now();
};

// A finished run is not overwritten by accident.
void require_free(const TrainingAsked& asked) {
  if (asked.resume || asked.overwrite || !train::latest_checkpoint(asked.folder / "checkpoints")) return;
  throw UserError({.file = asked.folder.string()}, "holds a training run already",
                  "continue it with --resume, replace it with --overwrite, or name another folder with -o");
}

// The checkpoint to go on from; empty to start afresh.
fs::path starting_point(const TrainingAsked& asked) {
  const fs::path& folder = asked.folder;
  if (asked.resume) {
    const auto found = train::whole_checkpoint(folder / "checkpoints");
    if (!found) throw UserError({.file = folder.string()}, "holds no checkpoint to resume from", kStartAgain);
    for (const std::string& damage : found->damaged) fmt::print(stderr, "warning: {}\n", damage);
    if (!found->damaged.empty()) fmt::print(stderr, "resuming from {} instead\n", found->path.string());
    return found->path;
  }
  require_free(asked);
  std::error_code error;
  fs::remove_all(folder / "checkpoints", error);
  return {};
}

void note_changes(const train::TrainConfig& config, const fs::path& checkpoint) {
  if (checkpoint.empty()) return;
  train::read_manifest(config, checkpoint);  // before anything is made or started
  for (const std::string& change : train::changed_since(config, checkpoint))
    fmt::print(stderr, "note: {}\n", change);
}

// The curve is drawn in the report; without one, nobody would look at it.
train::RunResult run_watched(train::Training& training, data::Batches& source,
                             const train::RunOptions& options, const TrainingAsked& asked) {
  if (!asked.report) return training.run(source, options);
  report::MissRatioCurve curve;
  WatchedBatches watched(source, curve);
  train::RunResult result = training.run(watched, options);
  write_file(asked.folder / "miss_ratio.csv", curve.csv());
  return result;
}

// Who stops when the model no longer improves wants the best one to be there.
std::int64_t checkpoint_every(const setup::TrainSetup& setup) {
  return setup.patience > 0 && setup.checkpoint_every == 0 ? setup.evaluate_every : setup.checkpoint_every;
}

// The evaluation with the highest AUC; none when there was none.
const train::HeldOut* best_of(const std::vector<train::HeldOut>& evaluations) {
  const auto best = std::ranges::max_element(evaluations, {}, [](const train::HeldOut& one) {
    return std::isnan(one.metrics.auc) ? -1 : one.metrics.auc;
  });
  return best == evaluations.end() ? nullptr : &*best;
}

Trained train_with(train::Training& training, const setup::TrainSetup& setup, data::Batches& source,
                   const TrainingAsked& asked) {
  const Interrupt interrupt;
  std::int64_t evaluated = -1;
  RunNotes notes(setup, asked, training.first_step());
  train::RunOptions options{.checkpoints = asked.folder / "checkpoints",
                            .checkpoint_every = checkpoint_every(setup),
                            .keep_every = setup.keep_every,
                            .stop =
                                [&] {
                                  const bool tired =
                                      setup.patience > 0 && notes.without_improvement() >= setup.patience;
                                  return tired || Interrupt::requested();
                                },
                            .on_step = [&](const train::StepReport& report) { notes.add(report); },
                            .evaluate_every = setup.evaluate_every,
                            .evaluate_at_end = true,
                            .on_evaluated =
                                [&](const train::HeldOut& held_out) {
                                  notes.add(held_out);
                                  evaluated = held_out.steps;
                                },
                            .on_saved = [&](double seconds) { notes.add_checkpoint(seconds); }};
  const bool ours = !setup.model.is<train::ExternalConfig>();  // others are not asked to predict
  if (setup.data.test_every > 0 && ours)
    options.held_out = [&] { return setup::open_train_data(setup, data::Part::test); };
  if (setup.steps > 0) options.steps = std::max<std::int64_t>(setup.steps - training.first_step(), 0);
  const train::RunResult result = run_watched(training, source, options, asked);
  notes.finish_training();
  const std::int64_t notes_without_improvement = notes.without_improvement();
  Trained done = notes.finish(asked.folder);
  done.result = result;
  if (evaluated != result.steps) done.metrics.reset();
  if (const train::HeldOut* best = best_of(done.evaluations)) {
    done.best = *best;
    const fs::path checkpoint = train::complete_checkpoint(options.checkpoints, best->steps);
    if (fs::exists(checkpoint)) done.best_checkpoint = checkpoint;
  }
  done.out_of_patience =
      setup.patience > 0 && notes_without_improvement >= setup.patience && !Interrupt::requested();
  const std::optional<data::Format> format = setup::data_format(setup);
  done.why = train_why(done.totals, done.seconds, setup.cache.lookahead > 0,
                       format && *format != data::Format::overture);
  return done;
}

std::unique_ptr<train::Training> make_training(const setup::TrainSetup& setup, const data::Shape& shape,
                                               const TrainingAsked& asked, const fs::path& checkpoint) {
  if (asked.meeting) return std::make_unique<setup::RemoteTraining>(*asked.meeting, setup, shape, checkpoint);
  const train::TrainConfig config = setup::make_train_config(setup, shape);
  if (setup::is_local(setup)) return std::make_unique<train::LocalTraining>(config, checkpoint);
  return std::make_unique<train::Session>(config, checkpoint);
}

std::size_t table_bytes(const train::TrainConfig& config) {
  std::size_t bytes = 0;
  for (int share = 0; share < config.shares(); ++share)
    bytes += embedding::Tables::bytes(
        config.tables, {.index = share, .count = config.shares(), .division = config.division});
  return bytes;
}

Json series(const std::vector<train::HeldOut>& evaluations) {
  Json list = Json::array();
  for (const train::HeldOut& one : evaluations) {
    list.push_back({{"steps", one.steps},
                    {"log_loss", one.metrics.log_loss},
                    {"auc", one.metrics.auc},
                    {"accuracy", one.metrics.accuracy}});
  }
  return list;
}

std::string optimizer_text(const embedding::OptimizerConfig& o) {
  std::string text = fmt::format("{}, learning rate {}", setup::write(o.kind), o.learning_rate);
  if (o.schedule.warmup_steps > 0) text += fmt::format(", warm-up of {} steps", o.schedule.warmup_steps);
  if (o.schedule.decay_steps > 0)
    text += fmt::format(", decay over {} steps from step {}", o.schedule.decay_steps, o.schedule.decay_start);
  if (o.weight_decay > 0) text += fmt::format(", weight decay {}", o.weight_decay);
  return text;
}

// What was trained, and how, for people.
Json described(const train::TrainConfig& config) {
  std::int64_t rows = 0;
  for (const embedding::TableConfig& table : config.tables.tables) rows += table.rows;
  Json told{{"model", train::describe(config.model)},
            {"tables", fmt::format("{} tables, {} rows", config.tables.tables.size(), with_commas(rows))},
            {"optimizer", optimizer_text(config.dense_optimizer)}};
  if (!(config.tables.optimizer == config.dense_optimizer))
    told["table_optimizer"] = optimizer_text(config.tables.optimizer);
  return told;
}

Json summary(const setup::TrainSetup& setup, const std::string& setup_yaml, const Trained& done,
             const train::TrainConfig& config) {
  const train::Totals& totals = done.totals;
  Json root =
      report::summary_head({.kind = "train", .name = setup.name, .seed = setup.seed, .why = done.why});
  if (done.metrics) root["held_out"] = metrics_json(*done.metrics);
  if (done.best) {
    root["best"] = {{"auc", done.best->metrics.auc},
                    {"log_loss", done.best->metrics.log_loss},
                    {"steps", done.best->steps}};
    if (!done.best_checkpoint.empty()) root["best_checkpoint"] = done.best_checkpoint.string();
  }
  root.update({{"steps", done.result.steps},
               {"steps_of_this_run", totals.steps},
               {"stopped_early", done.result.stopped_early},
               {"out_of_patience", done.out_of_patience},
               {"seconds", done.seconds},
               {"evaluation_seconds", done.evaluation_seconds},
               {"iteration_seconds_mean", done.iterations.mean()},
               {"iteration_seconds_deviation", done.iterations.deviation()},
               {"iterations_counted", done.iterations.counted()},
               {"samples_per_second", static_cast<double>(totals.samples) / done.seconds},
               {"loss", totals.loss},
               {"last_loss", totals.last_loss},
               {"table_bytes", table_bytes(config)},
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
               {"waited_for_peers_seconds", totals.waited_for_peers_seconds},
               {"checkpoint_seconds", done.checkpoint_seconds}});
  if (!done.evaluations.empty()) root["held_out_over_steps"] = series(done.evaluations);
  root["checkpoint"] = done.result.checkpoint.string();
  root["trained"] = described(config);
  root["digest"] = done.digest;
  root["setup_yaml"] = setup_yaml;
  return root;
}

// As it was run, wherever it is read again.
std::string written_setup(const setup::TrainSetup& setup, const fs::path& folder) {
  setup::TrainSetup as_run = setup;
  const fs::path ids = fs::path(setup.file).parent_path() / setup.data.ids;
  if (!setup.data.ids.empty())
    as_run.data.ids = ids == fs::absolute(folder / kIdsFile) ? kIdsFile : fs::absolute(ids).string();
  as_run.record.clear();
  if (!setup.data.file.empty())
    as_run.data.file = fs::absolute(fs::path(setup.file).parent_path() / setup.data.file);
  return setup::write_train_setup(as_run);
}

}  // namespace

namespace {

// Parties write into the folder by themselves; where they run elsewhere, it is one that they share.
setup::TrainSetup recorded(setup::TrainSetup setup, const TrainingAsked& asked) {
  if (asked.record) setup.record = fs::absolute(asked.folder / "recording").string();
  if (!setup.record.empty() && setup::is_local(setup))
    throw UserError({.key = asked.record ? "--record" : "record"},
                    "training without a cache cannot be recorded: cache.lookahead is 0",
                    "set cache.lookahead to 1 or more");
  return setup;
}

// Training on nothing would leave a model of random numbers.
void require_samples(const setup::TrainSetup& setup) {
  if (setup.data.file.empty()) return;
  setup::TrainSetup first = setup;
  first.batch_size = 1;
  first.data.shuffle_block = 0;
  data::Batch batch;
  if (!setup::open_train_data(first, data::Part::train)->next(batch))
    throw UserError({.file = setup.data.file}, "has no samples to train with");
}

// Data that is raw wants the folder before it can be read; other mistakes are told before it is made.
setup::TrainSetup prepared(const setup::TrainSetup& setup, const TrainingAsked& asked) {
  if (asked.resume && asked.overwrite)
    throw UserError({.key = "--resume"}, "cannot be combined with --overwrite",
                    "the one continues the run in the folder, the other replaces it");
  require_samples(setup);
  if (setup::needs_rows(setup)) return with_rows(setup);
  if (!setup::needs_ids(setup)) return setup;
  require_free(asked);
  report::claim_results_folder(asked.folder,
                               {.kind = "train", .setup_yaml = {}, .overwrite = asked.overwrite});
  return with_ids(setup, asked);
}

Trained run_alone(const setup::TrainSetup& given, const TrainingAsked& asked) {
  const setup::TrainSetup setup = recorded(prepared(given, asked), asked);
  const auto source = setup::open_train_data(setup, data::Part::train);
  const train::TrainConfig config = setup::make_train_config(setup, source->shape());
  if (asked.resume && !fs::exists(asked.folder))
    throw UserError({.file = asked.folder.string()}, "holds no checkpoint to resume from", kStartAgain);
  report::claim_results_folder(asked.folder,
                               {.kind = "train", .setup_yaml = {}, .overwrite = asked.overwrite});
  fs::path checkpoint = starting_point(asked);
  if (!asked.weights.empty())
    checkpoint = train::checkpoint_of_weights(config, asked.weights, asked.folder / "checkpoints");
  note_changes(config, checkpoint);
  const std::string setup_yaml = written_setup(setup, asked.folder);
  write_file(asked.folder / "setup.yaml", setup_yaml);
  if (!setup.record.empty()) recording::begin_recording(setup.record, written_setup(setup, setup.record));
  LiveLine before(0);
  before.say(fmt::format("filling {} tables, {}", config.tables.tables.size(),
                         to_string(Bytes{static_cast<std::int64_t>(table_bytes(config))})));
  const auto training = make_training(setup, source->shape(), asked, checkpoint);
  before.clear();
  Trained done = train_with(*training, setup, *source, asked);
  print_bad_rows(source->reader().bad_rows());
  done.summary = report::summary_text(summary(setup, setup_yaml, done, config));
  if (done.metrics) write_quality(*done.metrics, asked.folder);
  write_file(asked.folder / "summary.json", done.summary);
  if (asked.report) report::write_html(asked.folder);
  return done;
}

}  // namespace

// What goes wrong here, the other processes must hear of.
Trained run_training(const setup::TrainSetup& setup, const TrainingAsked& asked) {
  try {
    return run_alone(setup, asked);
  } catch (const std::exception& error) {
    if (asked.meeting) asked.meeting->transport->fail(error.what());
    throw;
  }
}

}  // namespace overture::cli
