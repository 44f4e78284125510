#include "overture/study/validate/validate.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/progress.h"
#include "overture/cli/validate_live.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/study/validate/program.h"
#include "overture/study/validate/studies.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

// tests/golden, from here upwards, or from the program's own place.
fs::path find_golden(const std::string& given) {
  if (!given.empty()) return given;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (fs::path start : {fs::current_path(), program.parent_path()}) {
    for (;; start = start.parent_path()) {
      if (fs::is_directory(start / "tests/golden")) return start / "tests/golden";
      if (start == start.root_path()) break;
    }
  }
  throw UserError({.key = "--golden"}, "the references are not here",
                  "run it inside Overture's sources, or name their tests/golden");
}

std::string csv(const std::vector<study::Check>& checks) {
  std::string text = "source,scenario,what,reference,ours,error_percent,allowed_percent,passes,cpu_seconds\n";
  for (const study::Check& check : checks) {
    text +=
        fmt::format("{},{},{},{},{},{:.6f},{},{},{:.4f}\n", check.source, report::csv_cell(check.scenario),
                    report::csv_cell(check.what), check.reference, check.ours, 100 * check.error(),
                    100 * check.allowed, check.passes() ? "yes" : "no", check.seconds);
  }
  return text;
}

struct ValidateOptions {
  std::string golden;
  std::string csv;
  std::string studies = "results";
  bool live = false;
  LiveValidation live_options;
  Output output;
};

void write_results(const std::vector<study::Check>& checks, const std::vector<study::StudyScore>& scores,
                   std::size_t failed, const fs::path& folder, const Output& output) {
  write_file(folder / "scoreboards.csv", study::scores_csv(scores));
  write_file(folder / "validation.csv", csv(checks));
  const auto worst = std::ranges::max_element(checks, {}, &study::Check::error);
  double seconds = 0;
  Digest digest;
  std::string setup = "references:\n";
  for (const study::Check& check : checks) {
    seconds += check.seconds;
    digest.add_bits(check.ours);
    if (setup.find(check.source) == std::string::npos) setup += fmt::format("  - {}\n", check.source);
  }
  auto summary = report::summary_head(
      {.kind = "validate",
       .name = "Against the references",
       .why = worst == checks.end()
                  ? "no reference was found"
                  : fmt::format("the farthest is {:.2f} % off: {}, {} of {}; {:.2f} % is allowed",
                                100 * worst->error(), worst->source, worst->what, worst->scenario,
                                100 * worst->allowed)});
  summary.update({{"checks", checks.size()},
                  {"failed", failed},
                  {"complete", !Interrupt::requested()},
                  {"cpu_seconds", seconds}});
  finish_run(output, summary, digest, setup, folder);
  print_why(summary["why"].get<std::string>());
  print_where(folder, output);
}

// All references, or those that were checked before Ctrl-C.
std::vector<study::Check> checked(const fs::path& golden, const fs::path& program) {
  const std::vector<std::function<void(const study::Report&)>> sources{
      [&](const study::Report& note) { study::validate_astra(golden, program, note); },
      [&](const study::Report& note) { study::validate_astra2(golden, note); },
      [&](const study::Report& note) { study::validate_garnet(golden, program, note); },
      [&](const study::Report& note) { study::validate_ns3(golden, note); },
      [&](const study::Report& note) { study::validate_htsim(golden, note); },
      [&](const study::Report& note) { study::validate_opera(golden, note); },
      [&](const study::Report& note) { study::validate_scale_sim(golden, note); },
      [&](const study::Report& note) { study::validate_lookahead(golden, note); }};
  std::vector<study::Check> checks;
  Progress progress("sources of references", static_cast<std::int64_t>(sources.size()));
  try {
    for (std::size_t i = 0; i < sources.size(); ++i)
      sources[i]([&](const study::Check& check) {
        if (Interrupt::requested()) throw UserError("interrupted");
        checks.push_back(check);
        progress.update(
            {.done = static_cast<std::int64_t>(i), .note = fmt::format("{} checks", checks.size())});
      });
  } catch (const UserError&) {  // also of a program that was interrupted, too
    if (!Interrupt::requested()) throw;
  }
  progress.finish();
  return checks;
}

std::size_t print_checks(const std::vector<study::Check>& checks) {
  Table table({"from", "scenario", "what", "reference", "ours", "error", "CPU s"});
  std::size_t failed = 0;
  for (const study::Check& check : checks) {
    table.add({check.source, check.scenario, check.what, fmt::format("{:.6g}", check.reference),
               fmt::format("{:.6g}", check.ours),
               fmt::format("{:.3f} %{}", 100 * check.error(), check.passes() ? "" : " !"),
               fmt::format("{:.2f}", check.seconds)});
    failed += check.passes() ? 0 : 1;
  }
  fmt::print("{}\n{} of {} within what their references allow\n", table.text(80), checks.size() - failed,
             checks.size());
  return failed;
}

int run(const ValidateOptions& options) {
  if (options.live) {
    LiveValidation live = options.live_options;
    live.output = options.output;
    return validate_live(live);
  }
  const fs::path golden = find_golden(options.golden);
  const fs::path results = options.output.folder_or("results/validate");
  claim(options.output, results, "validate");
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const Interrupt interrupt;
  const std::vector<study::Check> checks = checked(golden, program);
  if (Interrupt::requested() && checks.empty()) return kInterrupted;
  const std::size_t failed = print_checks(checks);
  std::vector<study::StudyScore> scores;
  if (!Interrupt::requested()) {
    const study::ScratchFolder scratch;
    scores = study::study_scores(options.studies, program, scratch.path());
    fmt::print("\nClaims of the published studies; one that does not hold is a finding\n{}\n",
               study::scores_table(scores));
  }
  if (!options.csv.empty()) write_file(options.csv, csv(checks));
  write_results(checks, scores, failed, results, options.output);
  if (Interrupt::requested()) return kInterrupted;
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_validate(Command& root) {
  auto options = std::make_shared<ValidateOptions>();
  Command command = root.add("validate",
                             "Run every reference result again and compare: ASTRA-sim 1 and 2, Garnet, "
                             "SCALE-Sim, ns-3, htsim, Bagpipe");
  add_output(command, options->output, "results/validate", "-o,--results");
  command
      .option("--golden FOLDER", options->golden,
              "Folder with the references (default: tests/golden of the sources)")
      .option("--csv,--out FILE", options->csv, "File for the table as CSV")
      .option("--studies FOLDER", options->studies, "Folder with the results of studies")
      .flag("--live", options->live,
            "Train for real over a grid; predict each training from a calibration on the others")
      .flag("--injected", options->live_options.injected,
            "With --live: links between threads in place of network namespaces")
      .flag("--quick", options->live_options.quick,
            "With --live: six small points in place of 24; never fails")
      .flag("--keep", options->live_options.keep,
            "With --live: do not measure points again that the results folder has")
      .option("--steps", options->live_options.steps, "With --live: steps per training")
      .option("--repeats", options->live_options.repeats,
              "With --live: at most so many runs of a point, until the two fastest agree within 3 %")
      .examples(
          "  overture validate\n  overture validate --csv validation.csv\n"
          "  overture validate --live -o results/live")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
