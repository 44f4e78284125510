#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/progress.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/version.h"
#include "overture/report/html.h"
#include "overture/report/run_folder.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct SimulateOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string out;
  bool json = false;
  bool full = false;
  bool quiet = false;
  bool no_report = false;
  std::string max_sim_time;
  int max_wall_seconds = 0;
};

std::string percent(Duration part, Duration whole) {
  return whole == Duration{} ? "-"
                             : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part.count()) /
                                                           static_cast<double>(whole.count()));
}

void print_summary(const report::Run& run, const std::filesystem::path& folder, bool with_report) {
  const auto& result = run.observed.result;
  fmt::print("{}: {} NPUs, {} iteration{}\n\n", run.name, result.ranks, run.config.passes,
             run.config.passes == 1 ? "" : "s");
  Table table({"", "time", "share"});
  table.add({"finished at", to_string(result.finished), "100.0 %"});
  table.add({"compute", to_string(result.compute()), percent(result.compute(), result.finished)});
  table.add(
      {"exposed communication", to_string(result.exposed()), percent(result.exposed(), result.finished)});
  fmt::print("{}\n", table.text());
  if (!result.complete) fmt::print("note: the run was cut short; what is shown is what had ended by then\n");
  fmt::print("why: {}\n", wrap(run.why, 80, 5));
  for (const std::string& caveat : report::caveats(run.config)) fmt::print("note: {}\n", wrap(caveat, 80, 6));
  fmt::print("results: {}\n", folder.string());
  if (with_report) fmt::print("report: {}\n", (folder / "report.html").string());
}

// Simulated time, the wall clock and Ctrl-C; with a line of progress.
simulation::Limits limits(const SimulateOptions& options) {
  simulation::Limits limits;
  if (!options.max_sim_time.empty()) {
    const Result<Duration> until = parse_duration(options.max_sim_time);
    if (!until) throw UserError({.key = "--max-sim-time"}, until.error());
    limits.until = Time{until.value()};
  }
  if (options.max_wall_seconds < 0) throw UserError({.key = "--max-wall"}, "must not be negative");
  const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(options.max_wall_seconds);
  const bool bounded = options.max_wall_seconds > 0;
  limits.go_on = [stop, bounded, progress = std::make_shared<Progress>("tasks", 0)](Time,
                                                                                    std::uint32_t finished) {
    progress->update(finished);
    return !Interrupt::requested() && !(bounded && std::chrono::steady_clock::now() >= stop);
  };
  return limits;
}

int run(const SimulateOptions& options) {
  const Interrupt interrupt;
  setup::Setup setup = setup::load_setup(options.setup, options.overrides);
  if (options.full) setup.simulation.scope = system::Scope::all;
  const report::ObservedRun observed = report::observe(setup.simulation, !options.no_report, limits(options));
  const report::Run run{.name = setup.name,
                        .setup_yaml = setup::write_setup(setup),
                        .version = version_text(),
                        .config = setup.simulation,
                        .observed = observed,
                        .why = report::why(setup.simulation, observed.result)};
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("results") / std::filesystem::path(options.setup).stem()
                          : std::filesystem::path(options.out);
  report::write_run_folder(run, folder);
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", report::summary_json(run));
  } else if (!options.quiet) {
    print_summary(run, folder, !options.no_report);
  }
  return Interrupt::requested() ? 130 : 0;
}

}  // namespace

void add_simulate(Command& root) {
  auto options = std::make_shared<SimulateOptions>();
  Command command = root.add("simulate", "Predict the iteration time of a training setup");
  command.positional("setup", options->setup, "Setup file (YAML); see docs/reference/setup.md")
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .option("-o,--out", options->out, "Folder for the results (default: results/<setup name>)")
      .option("--max-sim-time", options->max_sim_time, "Stop at this simulated time and report what ended")
      .option("--max-wall", options->max_wall_seconds,
              "Stop after so many seconds and report what ended; 0: never")
      .flag("--json", options->json, "Print summary.json instead of a table")
      .flag("--simulate-all-npus", options->full, "Simulate every NPU even where one tells all")
      .flag("--no-report", options->no_report, "Do not make report.html, nor the tables of links and traffic")
      .flag("-q,--quiet", options->quiet, "Print nothing")
      .examples(
          "  overture simulate dlrm-torus.yaml\n"
          "  overture simulate dlrm-torus.yaml -s network.dimensions.0.size=8 -o results/wider\n"
          "  overture simulate dlrm-fat-tree.yaml           (the same over TCP packets)\n"
          "  overture simulate dlrm-torus.yaml --json | jq .iteration_us")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
