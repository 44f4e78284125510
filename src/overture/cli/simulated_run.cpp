#include "overture/cli/simulated_run.h"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "overture/base/dollars.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/printable.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/flows_tries.h"
#include "overture/cli/run_progress.h"
#include "overture/report/html.h"
#include "overture/report/rotor_schedule.h"
#include "overture/report/run_folder.h"

namespace overture::cli {
namespace {

std::string percent(Duration part, Duration whole) {
  return whole == Duration{} ? "-"
                             : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part.count()) /
                                                           static_cast<double>(whole.count()));
}

void print_summary(const report::Run& run) {
  const auto& result = run.observed.result;
  fmt::print("{}: {}, {}\n\n", printable(run.name), counted(result.ranks, "NPU"),
             counted(run.config.passes, "iteration"));
  Table table({"", "time", "share"});
  table.add({"finished at", to_string(result.finished), "100.0 %"});
  table.add({"compute", to_string(result.compute()), percent(result.compute(), result.finished)});
  table.add(
      {"exposed communication", to_string(result.exposed()), percent(result.exposed(), result.finished)});
  if (run.config.tasks && run.observed.messages + run.observed.collectives > Bytes{}) {
    table.add({"messages between ranks", to_string(run.observed.messages), ""});
    table.add({"collectives", to_string(run.observed.collectives), ""});
  }
  if (run.cost_dollars) table.add({"network cost", to_string(Dollars{*run.cost_dollars}), ""});
  fmt::print("{}\n", table.text());
  if (!result.stuck.empty()) print_note("the run cannot end: " + result.stuck);
  if (!result.complete) fmt::print("note: the run was cut short; what is shown is what had ended by then\n");
  print_why(run.why);
  for (const std::string& caveat : report::caveats(run.config)) print_note(caveat);
}

// Of the simulated time.
simulation::Limits limits(const SimulatedRunOptions& options) {
  simulation::Limits limits;
  if (options.max_sim_time.empty()) return limits;
  limits.until = Time{parsed(parse_duration(options.max_sim_time), "--max-sim-time")};
  return limits;
}

// The wall clock and Ctrl-C end it, too; with a line of progress.
simulation::Limits watched(simulation::Limits limits, const SimulatedRunOptions& options,
                           const setup::Setup& setup, std::chrono::steady_clock::time_point began) {
  const auto stop = began + std::chrono::seconds(options.max_wall_seconds);
  const bool bounded = options.max_wall_seconds > 0;
  const auto progress = std::make_shared<RunProgress>(RunProgress::About{
      .folder = options.out,
      .kind = "simulate",
      .name = setup.name,
      .what = "tasks",
      .total = static_cast<std::int64_t>(simulation::task_graph(setup.simulation).size())});
  limits.go_on = [stop, bounded, progress](Time now, std::uint32_t finished) {
    if (progress->due())
      progress->update({.done = finished, .note = to_string(now.time_since_epoch()) + " simulated"},
                       fmt::format("\"simulated_us\": {}", to_us(now.time_since_epoch())));
    return !Interrupt::requested() && !(bounded && std::chrono::steady_clock::now() >= stop);
  };
  return limits;
}

}  // namespace

void add_limits(Command& command, SimulatedRunOptions& options) {
  command
      .option("--max-sim-time TIME", options.max_sim_time,
              "Stop at this simulated time and report what has finished")
      .option("--max-wall", options.max_wall_seconds,
              "Stop after this many seconds and report what has finished; 0: never");
}

namespace {

// Where the time went, and which change would help: one that was tried.
std::string why(const setup::Setup& setup, const report::ObservedRun& observed,
                const SimulatedRunOptions& options) {
  const bool tries = !options.no_why && !Interrupt::requested();
  const std::string text = report::why(setup.simulation, observed.result, tries);
  if (!tries || !options.overrides) return text;
  network::NetworkRecord record;
  record.counters = observed.counters;
  const std::string tried =
      tell(try_changes(setup, *options.overrides, observed.result, record), observed.result.finished);
  return text.empty() || tried.empty() ? text + tried : text + "; " + tried;
}

}  // namespace

int simulate_setup(const std::function<setup::Setup()>& load, const SimulatedRunOptions& options) {
  if (options.max_wall_seconds < 0) throw UserError({.key = "--max-wall"}, "must not be negative");
  const auto began = std::chrono::steady_clock::now();
  const Interrupt interrupt;
  Interrupt::end_after(static_cast<unsigned>(options.max_wall_seconds));
  const setup::Setup setup = load();
  const std::string setup_yaml = setup::write_setup(setup);
  const simulation::Limits bounds = limits(options);
  claim(options.output, options.out, "simulate", setup_yaml);
  const bool reports = !options.output.no_report;
  const report::ObservedRun observed =
      report::observe(setup.simulation, reports, watched(bounds, options, setup, began), setup.monitor);
  const report::Run run{.name = setup.name,
                        .setup_yaml = setup_yaml,
                        .config = setup.simulation,
                        .observed = observed,
                        .why = why(setup, observed, options),
                        .cost_dollars = setup::network_cost(setup).amount()};
  if (const auto schedule = network::schedule_of(setup.simulation.network))
    write_file(options.out / "schedule.csv", report::schedule_csv(*schedule));
  report::write_run_folder(run, options.out);
  if (reports) report::write_html(options.out);
  json_result(report::summary_json(run));
  if (!options.quiet) {
    print_summary(run);
    print_where(options.out, options.output);
  }
  return exit_code(observed.result.complete);
}

}  // namespace overture::cli
