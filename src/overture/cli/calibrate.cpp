#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/recording/recording.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/setup/machine_file.h"
#include "overture/study/calibrate/fit.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using recording::Recording;
using study::Residual;

struct CalibrateOptions {
  std::vector<std::string> runs;
  std::vector<std::string> checks;
  std::string bench;
  Output output;
};

// A results folder of `overture train`, or the recording in it.
Recording read_run(const std::string& run) {
  const fs::path inner = fs::path(run) / "recording";
  return recording::read_recording(fs::is_directory(inner) ? inner : fs::path(run));
}

std::vector<Recording> read_runs(const std::vector<std::string>& runs) {
  std::vector<Recording> recordings;
  for (const std::string& run : runs) {
    recordings.push_back(read_run(run));
    if (recordings.back().head().machine.alike(recordings.front().head().machine)) continue;
    throw UserError({.file = run},
                    fmt::format("was recorded on another machine ({}) than {} ({})",
                                recordings.back().head().machine.text(), runs.front(),
                                recordings.front().head().machine.text()),
                    "calibrate each machine by itself");
  }
  return recordings;
}

// What `overture bench transport --json` measured: a row comes after two messages.
void take_bench(const std::string& file, model::Machine& machine) {
  const Json parsed = parse_json(read_file(file));
  const auto number = [&](const char* key) {
    if (!parsed.is_object() || !parsed.contains(key) || !parsed[key].is_number() ||
        parsed[key].get<double>() <= 0)
      throw UserError({.file = file, .key = key}, "is missing",
                      "write it by `overture bench transport --json`");
    return parsed[key].get<double>();
  };
  machine.message = Duration{std::llround(1e12 * number("one_row_seconds") / 2)};
  machine.wire = Bandwidth::bits_per_second(std::llround(8 * number("bytes_per_second")));
}

// Each run by a machine that was fitted to the others.
std::vector<Residual> by_the_others(const std::vector<Recording>& recordings) {
  std::vector<Residual> sums;
  for (std::size_t out = 0; out < recordings.size(); ++out) {
    std::vector<Recording> others;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      if (i != out) others.push_back(recordings[i]);
    }
    const model::Machine machine = study::fit_machine(others).machine;
    for (const Residual& one : study::residuals(machine, {&recordings[out], 1})) {
      const auto found = std::ranges::find(sums, one.work, &Residual::work);
      if (found == sums.end()) {
        sums.push_back(one);
        continue;
      }
      found->pieces += one.pieces;
      found->measured_ms += one.measured_ms;
      found->fitted_ms += one.fitted_ms;
      found->median_error = std::max(found->median_error, one.median_error);
    }
  }
  std::ranges::sort(sums, {}, &Residual::work);
  return sums;
}

double percent_off(const Residual& one) {
  return one.measured_ms <= 0 ? 0 : 100 * (one.fitted_ms / one.measured_ms - 1);
}

std::string residuals_csv(const std::vector<Residual>& residuals) {
  std::string text = "work,pieces,measured_ms,fitted_ms,off_percent,median_error_percent\n";
  for (const Residual& one : residuals) {
    text += fmt::format("{},{},{:.4f},{:.4f},{:.2f},{:.2f}\n", kind_of(one.work).name, one.pieces,
                        one.measured_ms, one.fitted_ms, percent_off(one), 100 * one.median_error);
  }
  return text;
}

void print_fit(const model::Machine& machine, const std::vector<Residual>& checked, const std::string& on) {
  fmt::print("{}\n\n", machine.name.text());
  Table table({"work", "pieces", "spread", "measured ms", "fitted ms", "off", "median"});
  for (const Residual& one : checked) {
    const auto& cost = machine.cost(one.work);
    table.add({std::string(kind_of(one.work).name), fmt::format("{}", one.pieces),
               cost ? fmt::format("{:.1f} %", 100 * cost->spread) : "-",
               fmt::format("{:.2f}", one.measured_ms), fmt::format("{:.2f}", one.fitted_ms),
               fmt::format("{:+.1f} %", percent_off(one)), fmt::format("{:.1f} %", 100 * one.median_error)});
  }
  fmt::print("{}\nspread: on what was fitted. The rest: {}\n", table.text(), on);
  fmt::print("a message: {} and {} for its bytes; {} shapes of linear layers\n", to_string(machine.message),
             machine.wire == Bandwidth{} ? std::string("nothing") : to_string(machine.wire),
             machine.shapes.size());
}

int run(const CalibrateOptions& options) {
  const std::vector<Recording> recordings = read_runs(options.runs);
  const std::vector<Recording> checks = read_runs(options.checks);
  study::FittedMachine fitted = study::fit_machine(recordings);
  if (!options.bench.empty()) take_bench(options.bench, fitted.machine);
  const fs::path folder = options.output.folder_or("results/calibrate");
  claim(options.output, folder, "calibrate");
  const bool alone = checks.empty() && recordings.size() == 1;
  const std::vector<Residual> checked = !checks.empty()         ? study::residuals(fitted.machine, checks)
                                        : recordings.size() > 1 ? by_the_others(recordings)
                                                                : fitted.residuals;
  const std::string on = !checks.empty()
                             ? "on " + counted(static_cast<std::int64_t>(checks.size()), "other run")
                         : alone ? std::string("on the same run, for want of another; give several runs")
                                 : std::string("each run by a fit to the others");
  double measured = 0;
  double off = 0;
  for (const Residual& one : checked) {
    measured += one.measured_ms;
    off += std::abs(one.fitted_ms - one.measured_ms);
  }
  write_file(folder / "machine.yaml", setup::write_machine(fitted.machine));
  write_file(folder / "residuals.csv", residuals_csv(checked));
  auto summary =
      report::summary_head({.kind = "calibrate",
                            .name = fitted.machine.name.text(),
                            .why = fmt::format("the costs are {:.1f} % off, summed over kinds of work; {}",
                                               measured <= 0 ? 0 : 100 * off / measured, on)});
  summary.update({{"runs", options.runs},
                  {"checks", options.checks},
                  {"message_us", static_cast<double>(fitted.machine.message.count()) / 1e6},
                  {"shapes", fitted.machine.shapes.size()},
                  {"off_percent", measured <= 0 ? 0 : 100 * off / measured}});
  Digest digest;
  digest.add_bits(off);
  finish_run(options.output, summary, digest, setup::write_machine(fitted.machine), folder);
  print_fit(fitted.machine, checked, on);
  print_note(setup::of_another_machine(fitted.machine));
  fmt::print("machine: {}\n", (folder / "machine.yaml").string());
  print_where(folder, options.output);
  return 0;
}

}  // namespace

void add_calibrate(Command& root) {
  auto options = std::make_shared<CalibrateOptions>();
  Command command = root.add("calibrate", "Fit how long training takes on this machine, from recorded runs");
  add_output(command, options->output, "results/calibrate");
  command
      .positional("runs", options->runs,
                  "Results folders of `overture train --record`, or the recordings in them")
      .option("--check FOLDER", options->checks,
              "Run to compare with the fit; may be repeated (default: each run, with a fit to the others)")
      .option("--bench FILE", options->bench,
              "What `overture bench transport --json` printed, for the cost of a message")
      .examples(
          "  overture calibrate results/small results/large\n"
          "  overture calibrate results/small results/large \\\n"
          "    --check results/other -o results/machine\n"
          "  overture simulate setup.yaml \\\n"
          "    -s workload.training.machine=results/machine/machine.yaml")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
