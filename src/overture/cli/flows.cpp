#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/printable.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/flows_tries.h"
#include "overture/cli/output.h"
#include "overture/cli/run_progress.h"
#include "overture/formats/flow_list.h"
#include "overture/network/empty_network.h"
#include "overture/network/ns3/ns3_program.h"
#include "overture/network/run_flows.h"
#include "overture/report/faults_summary.h"
#include "overture/report/flows_summary.h"
#include "overture/report/html.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct FlowsOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string flows;
  std::string csv;
  Output output;
  std::string backend;
  std::string max_sim_time;
  int max_wall_seconds = 0;
  bool no_why = false;
};

network::RunLimits limits(const FlowsOptions& options) {
  network::RunLimits limits;
  if (!options.max_sim_time.empty())
    limits.until = Time{parsed(parse_duration(options.max_sim_time), "--max-sim-time")};
  if (options.max_wall_seconds < 0) throw UserError({.key = "--max-wall"}, "must not be negative");
  if (options.max_wall_seconds > 0) limits.wall = std::chrono::seconds(options.max_wall_seconds);
  return limits;
}

// What the run leaves, for people and for programs.
struct Told {
  std::vector<std::pair<std::string, std::string>> lines;
  std::string why;
  std::string json;
};

void print_summary(const setup::Setup& setup, const network::FlowsResult& result, int hosts,
                   std::size_t flows, const Told& told) {
  fmt::print("{}: {}, {}, {} finished\n\n", printable(setup.name), counted(hosts, "host"),
             counted(static_cast<std::int64_t>(flows), "flow"), result.finished);
  Table table({"what", "value"});
  for (const auto& [label, text] : told.lines) table.add({label, text});
  fmt::print("{}\n", table.text());
  print_why(told.why);
  print_note(setup.simulation.tasks_note);
  if (result.locked) fmt::print("note: on rings, network.lossless.control: credits avoids lock-ups\n");
  if (result.finished < flows)
    fmt::print("note: {} of {} flows did not finish\n", flows - result.finished, flows);
  if (const std::string lost = report::undelivered_note(result.record); !lost.empty())
    print_note("not delivered: " + lost);
}

// Completion times only: ns-3 is here to be compared with.
int run_on_ns3(const FlowsOptions& options, const setup::Setup& setup,
               const std::vector<network::FlowSpec>& flows) {
  const auto program = network::ns3::find_ns3_program();
  if (!program) {
    throw UserError({.key = "--backend"}, "overture-ns3 was not built",
                    "install libns3-dev, then configure and build again");
  }
  const network::NetworkConfig config = setup::network_config(setup);
  const auto* packets = std::get_if<network::PacketNetworkConfig>(&config);
  if (packets == nullptr) throw UserError({.key = "--backend"}, "ns3 runs what network.backend: packet runs");
  network::ns3::Ns3Result result = network::ns3::run_flows(*program, make_topology(packets->topology),
                                                           packets->packets, flows, limits(options));
  network::FlowTimes times;
  times.completion = std::move(result.completion);
  summarise(flows, times);
  const std::filesystem::path out = options.csv.empty() ? "fct-ns3.csv" : options.csv;
  write_file(out, formats::write_flow_csv(flows, times));
  fmt::print("{} on ns-3: {} of {} flows finished, makespan {}, {} drops\ncompletion times: {}\n",
             printable(setup.name), times.finished, flows.size(), to_string(times.makespan), result.drops,
             out.string());
  return exit_code(times.finished == flows.size());
}

// Flows of equal size often finish together, so bytes say earlier than flows how long a run will take.
void tell(RunProgress& progress, const network::RunSoFar& so_far, Bytes all) {
  const double simulated_us = to_us(so_far.now.time_since_epoch());
  progress.update({.done = static_cast<std::int64_t>(so_far.finished),
                   .share = static_cast<double>(so_far.delivered.count()) /
                            static_cast<double>(std::max(all, Bytes{1}).count()),
                   .note = to_string(so_far.now.time_since_epoch()) + " simulated"},
                  fmt::format("\"simulated_us\": {}", simulated_us));
}

// With a line of progress; Ctrl-C ends the run early and leaves what it has.
network::FlowsResult run_flows(network::RunLimits bounds, const setup::Setup& setup,
                               const std::vector<network::FlowSpec>& flows,
                               const std::filesystem::path& folder) {
  RunProgress progress({.folder = folder,
                        .kind = "flows",
                        .name = setup.name,
                        .what = "flows",
                        .total = static_cast<std::int64_t>(flows.size())});
  Bytes all;
  for (const network::FlowSpec& flow : flows) all += flow.size;
  bounds.go_on = [&](const network::RunSoFar& so_far) {
    if (progress.due()) tell(progress, so_far, all);
    return !Interrupt::requested();
  };
  std::optional<network::MonitorConfig> monitor;
  if (setup.monitor.samples > 0) monitor = setup.monitor;
  try {
    network::FlowsResult result = network::run_flows(setup::network_config(setup), flows, bounds, monitor);
    progress.finish();
    return result;
  } catch (const UserError& error) {
    throw at({.file = setup.file}, error);
  }
}

struct Asked {
  setup::Setup setup;
  std::string setup_yaml;
  int hosts = 0;
  std::filesystem::path folder;
};

Told write_results(const Asked& asked, const std::vector<network::FlowSpec>& flows,
                   const network::FlowsResult& result, const std::string& tried) {
  const setup::Setup& setup = asked.setup;
  const network::NetworkConfig config = setup::network_config(setup);
  const std::optional<topology::Opera> opera = network::schedule_of(config);
  const report::FlowsRun run{.name = setup.name,
                             .setup_yaml = asked.setup_yaml,
                             .seed = setup.seed,
                             .hosts = asked.hosts,
                             .flows = flows,
                             .result = result,
                             .tried = tried,
                             .cost = setup::network_cost(setup),
                             .alone = network::empty_network_times(config, flows),
                             .rotors = opera ? &*opera : nullptr,
                             .faults = setup.faults};
  report::write_flows_folder(run, asked.folder);
  return {report::flows_lines(run), report::flows_why(run), report::flows_summary_json(run)};
}

std::vector<std::string> overrides_of(const FlowsOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.backend.empty() && options.backend != "ns3")
    overrides.push_back("network.backend=" + options.backend);
  return overrides;
}

// The flows of a list belong to what was asked.
std::string setup_yaml_of(const FlowsOptions& options, const setup::Setup& setup) {
  const std::string list = options.flows.empty() ? "" : fmt::format("# flows: {}\n", options.flows);
  return setup::write_setup(setup) + list;
}

int run(const FlowsOptions& options) {
  const Interrupt interrupt;
  Interrupt::end_after(static_cast<unsigned>(std::max(options.max_wall_seconds, 0)));
  const std::vector<std::string> overrides = overrides_of(options);
  Asked asked{.setup = setup::load_setup(options.setup, overrides, setup::Needs::network)};
  asked.hosts = network::count_hosts(setup::network_config(asked.setup));
  const auto flows = options.flows.empty() ? setup::make_traffic(asked.setup, asked.hosts)
                                           : formats::read_flows(options.flows, asked.hosts);
  if (flows.empty())
    throw UserError({.file = options.setup, .key = "traffic"},
                    "no flows to send between " + counted(asked.hosts, "host"));
  const network::RunLimits bounds = limits(options);
  if (options.backend == "ns3") return run_on_ns3(options, asked.setup, flows);
  asked.setup_yaml = setup_yaml_of(options, asked.setup);
  asked.folder = options.output.folder_or(std::filesystem::path("results") /
                                          std::filesystem::path(options.setup).stem());
  claim(options.output, asked.folder, "flows", asked.setup_yaml);
  const network::FlowsResult result = run_flows(bounds, asked.setup, flows, asked.folder);
  const bool tries = !options.no_why && !Interrupt::requested();
  const std::string tried =
      tries ? tell(try_changes(asked.setup, overrides, flows, result), result.makespan) : "";
  write_file(options.csv.empty() ? asked.folder / "fct.csv" : std::filesystem::path(options.csv),
             formats::write_flow_csv(flows, result));
  const Told told = write_results(asked, flows, result, tried);  // the summary last
  if (!options.output.no_report) report::write_html(asked.folder);
  json_result(told.json);
  print_summary(asked.setup, result, asked.hosts, flows.size(), told);
  print_where(asked.folder, options.output);
  return exit_code(result.finished == flows.size());
}

}  // namespace

void add_flows(Command& root) {
  auto options = std::make_shared<FlowsOptions>();
  Command command = root.add("flows", "Run a list of flows on a network: completion times, drops, queues");
  add_output(command, options->output, "results/<setup name>", "-o,--results");
  command.positional("setup", options->setup, "Setup file (YAML); see docs/reference/setup.md")
      .option("--flows FILE", options->flows,
              "src,dst,bytes,start_ns as CSV, or htsim's .cm; instead of the setup's traffic")
      .option("--csv,--out FILE", options->csv,
              "File for the completion times (default: fct.csv in the results)")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--backend NAME", options->backend,
              "Model in place of network.backend; ns3 compares with Debian's ns-3 (completion times only)")
      .option("--max-sim-time TIME", options->max_sim_time,
              "Stop at this simulated time and report what has finished")
      .option("--max-wall", options->max_wall_seconds,
              "Stop after this many seconds and report what has finished; 0: never")
      .flag("--no-why", options->no_why, "Do not try what would make the run faster")
      .examples(
          "  overture flows fat-tree.yaml\n"
          "  overture flows fat-tree.yaml --flows flows.csv -o results/mine\n"
          "  overture flows fat-tree.yaml -s traffic.pattern=permutation \\\n"
          "    -s network.paths=spray -o results/spray\n"
          "  overture flows opera.yaml                      (rotor switches)")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
