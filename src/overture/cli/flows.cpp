#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/progress.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/version.h"
#include "overture/network/ns3/ns3_program.h"
#include "overture/network/rotor/link_numbers.h"
#include "overture/report/flows_summary.h"
#include "overture/report/html.h"
#include "overture/report/links_record.h"
#include "overture/report/rotor_summary.h"
#include "overture/setup/flow_list.h"
#include "overture/setup/flows_setup.h"

namespace overture::cli {
namespace {

namespace packet = network::packet;

struct FlowsOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string flows;
  std::string out;
  std::string folder;
  std::string backend = "packet";
  std::string max_sim_time;
  int max_wall_seconds = 0;
  bool json = false;
  bool no_report = false;
};

packet::RunLimits limits(const FlowsOptions& options) {
  packet::RunLimits limits;
  if (!options.max_sim_time.empty()) {
    const Result<Duration> until = parse_duration(options.max_sim_time);
    if (!until) throw UserError({.key = "--max-sim-time"}, until.error());
    limits.until = Time{until.value()};
  }
  if (options.max_wall_seconds < 0) throw UserError({.key = "--max-wall"}, "must not be negative");
  if (options.max_wall_seconds > 0) limits.wall = std::chrono::seconds(options.max_wall_seconds);
  return limits;
}

void print_why(const std::string& why) {
  if (!why.empty()) fmt::print("why: {}\n", wrap(why, 80, 5));
}

void print_summary(const report::FlowsRun& run, const std::filesystem::path& folder, bool with_report) {
  fmt::print("{}: {} hosts, {} flows, {} finished\n\n", run.name, run.topology.graph.hosts(),
             run.flows.size(), run.result.finished);
  Table table({"what", "value"});
  for (const auto& [label, text] : report::flows_lines(run)) table.add({label, text});
  fmt::print("{}\n", table.text());
  print_why(report::flows_why(run));
  if (run.result.locked) {
    fmt::print("note: {}\n",
               wrap("the network has locked up: full buffers wait for each other in a circle. On "
                    "rings, lossless.control: credits avoids that.",
                    80, 6));
  }
  fmt::print("results: {}\n", folder.string());
  if (with_report) fmt::print("report: {}\n", (folder / "report.html").string());
}

// Completion times only: ns-3 is here to be compared with.
packet::RunResult run_on_ns3(const topology::Topology& topology, const packet::PacketConfig& config,
                             const std::vector<packet::FlowSpec>& flows, const packet::RunLimits& limits) {
  const auto program = network::ns3::find_ns3_program();
  if (!program) {
    throw UserError({.key = "--backend"}, "overture-ns3 was not built",
                    "install libns3-dev, then configure and build again");
  }
  packet::RunResult result;
  result.completion = network::ns3::run_flows(*program, topology, config, flows, limits).completion;
  packet::summarise(flows, result);
  return result;
}

int write_ns3(const FlowsOptions& options, const setup::FlowsSetup& setup, const topology::Topology& topology,
              const std::vector<packet::FlowSpec>& flows) {
  const packet::RunResult result = run_on_ns3(topology, setup.network, flows, limits(options));
  const std::filesystem::path out = options.out.empty() ? "fct-ns3.csv" : options.out;
  write_file(out, setup::write_flow_csv(flows, result));
  fmt::print("{} on ns-3: {} of {} flows finished, makespan {}\ncompletion times: {}\n", setup.name,
             result.finished, flows.size(), to_string(result.makespan), out.string());
  return 0;
}

std::optional<network::MonitorConfig> monitor_of(const setup::FlowsSetup& setup,
                                                 const topology::Topology& topology) {
  if (setup.monitor.samples == 0) return std::nullopt;
  return network::bounded(setup.monitor, topology.graph.links().size());
}

// With a line of progress; Ctrl-C ends the run early and leaves what it has.
packet::RunResult run_packets(const FlowsOptions& options, const setup::FlowsSetup& setup,
                              const topology::Topology& topology,
                              const std::vector<packet::FlowSpec>& flows) {
  const Interrupt interrupt;
  Progress progress("flows", static_cast<std::int64_t>(flows.size()));
  packet::RunLimits bounds = limits(options);
  bounds.go_on = [&](std::size_t finished) {
    progress.update(static_cast<std::int64_t>(finished));
    return !Interrupt::requested();
  };
  packet::RunResult result =
      packet::run_flows(topology, setup.network, flows, bounds, monitor_of(setup, topology));
  progress.finish();
  return result;
}

std::filesystem::path results_folder(const FlowsOptions& options) {
  return options.folder.empty()
             ? std::filesystem::path("results") / std::filesystem::path(options.setup).stem()
             : std::filesystem::path(options.folder);
}

// Opera: circuits that come and go, so another engine and other things to tell.
int run_rotor(const FlowsOptions& options, const setup::FlowsSetup& setup, const topology::Opera& opera) {
  namespace rotor = network::rotor;
  if (options.max_wall_seconds > 0 || options.backend != "packet")
    throw UserError({.key = "topology.opera"}, "runs on the packet backend, bounded by --max-sim-time only");
  const auto asked =
      options.flows.empty() ? setup::make_traffic(setup, opera.hosts()) : setup::read_flows(options.flows);
  std::vector<rotor::FlowSpec> flows;
  for (const packet::FlowSpec& flow : asked) flows.push_back({flow.from, flow.to, flow.size, flow.start});
  rotor::RotorConfig config = setup.rotor;
  config.seed = setup.network.seed;
  rotor::RunOptions bounds;
  if (setup.monitor.samples > 0) {
    const auto links = static_cast<std::size_t>(rotor::LinkNumbers(opera).count());
    bounds.watched_bins = network::bounded(setup.monitor, links).samples;
  }
  if (const auto until = limits(options).until) bounds.until = *until;
  const rotor::RunResult result = rotor::run_flows(opera, config, flows, bounds);
  const report::RotorRun run{.name = setup.name,
                             .setup_yaml = setup::write_flows_setup(setup),
                             .version = version_text(),
                             .opera = opera,
                             .config = config,
                             .flows = flows,
                             .result = result};
  const std::filesystem::path folder = results_folder(options);
  report::write_rotor_folder(run, folder);
  packet::RunResult completions;
  completions.completion = result.completion;
  write_file(options.out.empty() ? folder / "fct.csv" : std::filesystem::path(options.out),
             setup::write_flow_csv(asked, completions));
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", report::rotor_summary_json(run));
    return 0;
  }
  fmt::print("{}: {} hosts, {} flows, {} finished\n\n", run.name, opera.hosts(), flows.size(),
             result.finished);
  Table table({"what", "value"});
  for (const auto& [label, text] : report::rotor_lines(run)) table.add({label, text});
  fmt::print("{}\n", table.text());
  print_why(report::rotor_why(run));
  fmt::print("results: {}\n", folder.string());
  if (!options.no_report) fmt::print("report: {}\n", (folder / "report.html").string());
  return 0;
}

int run(const FlowsOptions& options) {
  const setup::FlowsSetup setup = setup::load_flows_setup(options.setup, options.overrides);
  if (const auto opera = setup::make_opera(setup)) return run_rotor(options, setup, *opera);
  const topology::Topology topology = setup::make_topology(setup);
  const auto flows = options.flows.empty() ? setup::make_traffic(setup, topology.graph.hosts())
                                           : setup::read_flows(options.flows);
  if (options.backend == "ns3") return write_ns3(options, setup, topology, flows);
  if (options.backend != "packet") {
    throw UserError({.key = "--backend"}, fmt::format("unknown backend \"{}\"", options.backend),
                    suggest(options.backend, {"packet", "ns3"}));
  }
  const packet::RunResult result = run_packets(options, setup, topology, flows);
  const report::FlowsRun run{.name = setup.name,
                             .setup_yaml = setup::write_flows_setup(setup),
                             .version = version_text(),
                             .seed = setup.network.seed,
                             .topology = topology,
                             .flows = flows,
                             .result = result};
  const std::filesystem::path folder = results_folder(options);
  report::write_flows_folder(run, folder);
  write_file(options.out.empty() ? folder / "fct.csv" : std::filesystem::path(options.out),
             setup::write_flow_csv(flows, result));
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", report::flows_summary_json(run));
  } else {
    print_summary(run, folder, !options.no_report);
  }
  return 0;
}

}  // namespace

void add_flows(Command& root) {
  auto options = std::make_shared<FlowsOptions>();
  Command command =
      root.add("flows", "Run a list of flows on a packet-level network: completion times, drops, queues");
  command.positional("setup", options->setup, "Network setup (YAML); see docs/reference/flows.md")
      .option("--flows", options->flows,
              "src,dst,bytes,start_ns as CSV, or htsim's .cm; instead of the setup's traffic")
      .option("--out", options->out, "Completion times as CSV (default: fct.csv in the results)")
      .option("-o,--results", options->folder, "Folder for the results (default: results/<setup name>)")
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .option("--backend", options->backend,
              "packet, or ns3 to compare with Debian's ns-3 (completion times only)")
      .option("--max-sim-time", options->max_sim_time, "Stop at this simulated time and report what finished")
      .option("--max-wall", options->max_wall_seconds,
              "Stop after so many seconds and report what finished; 0: never")
      .flag("--json", options->json, "Print summary.json instead of a table")
      .flag("--no-report", options->no_report, "Do not make report.html")
      .examples(
          "  overture flows fat-tree.yaml\n"
          "  overture flows fat-tree.yaml --flows flows.csv --out fct.csv\n"
          "  overture flows fat-tree.yaml -s traffic.pattern=permutation -s paths=spray\n"
          "  overture flows opera.yaml                      (rotor switches)")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
