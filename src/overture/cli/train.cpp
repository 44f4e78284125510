#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/base/units.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/evaluation.h"
#include "overture/cli/meeting.h"
#include "overture/cli/output.h"
#include "overture/cli/train_flags.h"
#include "overture/cli/training_run.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string setup;
  RunFlags run;
  TrainFlags flags;
  MeetingFlags meeting;
};

fs::path results_folder(const TrainOptions& options, const setup::TrainSetup& setup) {
  return options.run.output.folder_or(
      fs::path("results") / (options.setup.empty() ? fs::path(setup.name) : fs::path(options.setup).stem()));
}

// The default batch suits files of many gigabytes: a small one gives too few steps to learn from.
void print_few_steps(const setup::TrainSetup& setup, const Trained& done) {
  constexpr std::int64_t kFew = 50;
  if (done.result.stopped_early || setup.steps > 0 || done.result.steps >= kFew || setup.data.own) return;
  constexpr int kSmallBatch = 128;
  const std::string note = fmt::format(
      "the data is {} of {} samples, which is few to learn from; {}more epochs (--nepochs {}) give more",
      done.result.steps == 1 ? "1 step" : fmt::format("{} steps", done.result.steps),
      with_commas(setup.batch_size),
      setup.batch_size > kSmallBatch ? fmt::format("smaller batches (--mini-batch-size {}) or ", kSmallBatch)
                                     : "",
      3 * setup.data.epochs);
  print_note(note);
}

void print_summary(const setup::TrainSetup& setup, const Trained& done, const fs::path& folder) {
  const train::Totals& totals = done.totals;
  if (done.out_of_patience) {
    fmt::print("stopped after step {}: the AUC has not improved in {} evaluations\n\n", done.result.steps,
               setup.patience);
  } else if (done.result.stopped_early) {
    fmt::print("interrupted after step {}; continue with --resume\n\n", done.result.steps);
  }
  Table table({"what", "value"});
  // How good the model is comes first; what it cost, after.
  if (done.metrics) {
    for (const auto& [label, value] : metric_lines(*done.metrics, true)) table.add({label, value});
  }
  if (done.best && done.evaluations.size() > 1)
    table.add({"best AUC",
               fmt::format("{:.6f} after step {}", done.best->metrics.auc, with_commas(done.best->steps))});
  table.add({"loss of the last step", fmt::format("{:.5f}", totals.last_loss)});
  table.add({"loss, smoothed", fmt::format("{:.5f}", totals.loss)});
  table.add({"steps", with_commas(done.result.steps)});
  table.add({"samples/s", fmt::format("{:.0f}", static_cast<double>(totals.samples) / done.seconds)});
  if (done.iterations.counted() > 0)
    table.add({"time per iteration", fmt::format("{:.3f} ms +- {:.3f} ms", 1e3 * done.iterations.mean(),
                                                 1e3 * done.iterations.deviation())});
  if (setup.cache.lookahead > 0) {
    table.add({"hit rate", fmt::format("{:.1f} %", 100 * totals.hit_rate())});
    table.add({"rows fetched", with_commas(totals.fetched_rows)});
    table.add({"bytes fetched", to_string(Bytes{totals.fetched_bytes})});
    table.add({"most rows in the cache", with_commas(totals.most_resident_rows)});
    table.add({"waited for rows", fmt::format("{:.2f} s", totals.waited_for_rows_seconds)});
  } else if (!setup::is_local(setup)) {
    table.add({"pooled rows exchanged", with_commas(totals.fetched_rows)});
    table.add({"their bytes, one way", to_string(Bytes{totals.fetched_bytes})});
    table.add({"waited for rows", fmt::format("{:.2f} s", totals.waited_for_rows_seconds)});
  }
  fmt::print("{}\n", table.text());
  print_why(done.why);
  print_few_steps(setup, done);
  if (!done.best_checkpoint.empty())
    fmt::print("best checkpoint: {}\n  overture evaluate {} --checkpoint best\n",
               done.best_checkpoint.string(), folder.string());
  if (fs::exists(folder / "recording"))
    fmt::print("recording: {} (overture inspect, calibrate)\n", (folder / "recording").string());
}

setup::Started started(const TrainOptions& options) {
  setup::Started result{.version = version_text(),
                        .yaml = options.setup.empty() ? "" : read_file(options.setup),
                        .assignments = options.flags.assignments()};
  result.assignments.insert(result.assignments.end(), options.run.overrides.begin(),
                            options.run.overrides.end());
  return result;
}

int run(const TrainOptions& options, Role role) {
  for (const std::string& note : options.flags.notes()) fmt::print(stderr, "note: {}\n", note);
  const setup::Started how = started(options);
  const bool leads = role == Role::any || role == Role::oracle;
  setup::TrainSetup setup;
  if (leads) setup = setup::load_train_setup(options.setup, how.assignments);
  const auto meeting = meet(role, options.meeting, setup.trainers, setup::servers_of(setup));
  if (meeting && meeting->self != meeting->parties.oracle()) {
    const bool alone = options.meeting.by_hand();
    if (!alone) ignore_interrupts();  // mpirun tells all; the oracle ends the run
    setup::take_part(*meeting, how);
    if (!alone) json_result("");  // all write to one place, and the oracle tells the result
    return 0;
  }
  if (!meeting && role != Role::any)
    throw UserError(
        "this process does not know the others",
        "start it with mpirun or srun, or give --worker-id, --world-size and --world-size-trainers");
  if (meeting) setup = setup::gather(*meeting, setup, how);
  const fs::path folder = results_folder(options, setup);
  const Trained done = run_training(setup, {.folder = folder,
                                            .resume = options.run.resume,
                                            .overwrite = options.run.output.overwrite,
                                            .weights = options.run.weights,
                                            .report = !options.run.output.no_report,
                                            .tensorboard = options.run.tensorboard,
                                            .record = options.run.record,
                                            .meeting = meeting});
  json_result(done.summary);
  print_summary(setup, done, folder);
  print_where(folder, options.run.output);
  return done.result.stopped_early && Interrupt::requested() ? kInterrupted : 0;
}

void add_options(Command& command, TrainOptions& options) {
  command.positional("setup", options.setup,
                     "Setup file (YAML); not needed if flags give everything; see docs/reference/train.md",
                     false);
  add_run_flags(command, options.run);
  add_train_flags(command, options.flags);
}

void add_party(Command& root, Role role, std::string_view name, std::string_view help,
               std::string_view examples) {
  auto options = std::make_shared<TrainOptions>();
  Command command = root.add(name, help);
  add_options(command, *options);
  add_meeting_flags(command, options->meeting);
  command.examples(examples).runs([options, role] {
    options->flags.take(options->meeting.world_size_trainers);
    return run(*options, role);
  });
}

}  // namespace

void add_train(Command& root) {
  auto options = std::make_shared<TrainOptions>();
  Command command = root.add("train", "Train a recommendation model with a cache that looks ahead");
  add_options(command, *options);
  command.option("--world-size-trainers", options->meeting.world_size_trainers, "The same as --trainers")
      .examples(
          "  overture train --synthetic kaggle --scale 0.01 --samples 200000\n"
          "  overture train --data clicks.ovd --arch-mlp-bot 13-512-256-64-16 \\\n"
          "    --arch-mlp-top 512-256-1 --arch-sparse-feature-size 16 \\\n"
          "    --mini-batch-size 2048 --lookahead-value 200\n"
          "  overture train setup.yaml -s optimizer.kind=adagrad --resume\n"
          "  mpirun -n 4 overture train setup.yaml")
      .runs([options] {
        options->flags.take(options->meeting.world_size_trainers);
        return run(*options, Role::any);
      });
}

void add_parties(Command& root) {
  add_party(root, Role::oracle, "oracle", "Run the oracle of a training run: one process per party",
            "  overture oracle setup.yaml --worker-id 0 --world-size 4 \\\n"
            "    --world-size-trainers 2 --master-ip 10.10.1.1\n"
            "  mpirun -n 1 overture oracle setup.yaml : -n 2 overture server : \\\n"
            "    -n 4 overture trainer");
  add_party(root, Role::trainer, "trainer", "Run one trainer of a training run that an oracle leads",
            "  overture trainer --worker-id 1 --world-size 4 \\\n"
            "    --world-size-trainers 2 --master-ip 10.10.1.1");
  add_party(root, Role::server, "server", "Run one embedding server of a training run that an oracle leads",
            "  overture server --worker-id 3 --world-size 4 \\\n"
            "    --world-size-trainers 2 --master-ip 10.10.1.1");
}

}  // namespace overture::cli
