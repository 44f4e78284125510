#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/printable.h"
#include "overture/base/text.h"
#include "overture/cli/astra_files.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/report/astra_csv.h"
#include "overture/report/html.h"
#include "overture/report/run_folder.h"
#include "overture/setup/setup.h"
#include "overture/simulation/garnet_run.h"

namespace overture::cli {
namespace {

struct AstraOptions {
  AstraFiles files;
  std::string path;
  std::string run_name = "unnamed run";
  Output output;
  std::string synthetic = "training";
  int total_rows = 1;
  int row = 0;
  bool full = false;
};

void check_rows(const AstraOptions& options) {
  if (options.run_name.find('/') != std::string::npos) {
    throw UserError({.key = "--run-name"}, "must not contain a slash",
                    "it becomes part of a file's name; folders go into --path");
  }
  if (options.total_rows < 1 || options.total_rows > 100'000) {
    throw UserError({.key = "--total-stat-rows"}, "must be from 1 to 100000");
  }
  if (options.row < 0 || options.row >= options.total_rows) {
    throw UserError({.key = "--stat-row"}, "must be from 0 to total-stat-rows - 1");
  }
}

// A folder without its slash is taken as the folder, and one that does not exist is made.
std::string folder_prefix(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return path.back() == '/' ? path : path + '/';
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  error.clear();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) throw UserError({.file = path, .key = "--path"}, "cannot be created: " + error.message());
  return path;
}

void print_layers(const workload::Workload& workload, const simulation::SimulationResult& result) {
  const auto cycles = [](Duration d) { return d / Nanoseconds{1}; };
  for (std::size_t l = 0; l < workload.layers.size(); ++l) {
    fmt::print("layer {}: {}\n", l, printable(workload.layers[l].name));
    for (const auto kind : {workload::PassKind::forward, workload::PassKind::input_gradient,
                            workload::PassKind::weight_gradient}) {
      const simulation::PassAccount& account = result.layers[l].of(kind);
      fmt::print("  {}: compute {} cycles, communication {} cycles, of which exposed {}\n",
                 workload::name(kind), cycles(account.compute), cycles(account.communication),
                 cycles(account.exposed));
    }
  }
  fmt::print("all passes finished at time: {}\n", cycles(result.finished));
  fmt::print("total compute: {} cycles, total exposed communication: {} cycles (1 cycle = 1 ns)\n",
             cycles(result.compute()), cycles(result.exposed()));
}

void print_flits(const network::garnet::GarnetStatistics& network) {
  const auto mean = [](std::int64_t sum, std::int64_t count) {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  };
  fmt::print("packets: {} of {} flits, on the way for {:.6f} cycles on average, their flits for {:.6f}\n",
             network.packets, network.flits, mean(network.packet_cycles, network.packets),
             mean(network.flit_cycles, network.flits));
  fmt::print("hops between routers: {:.6f} on average; cycles of busy links: {}\n",
             mean(network.hops, network.flits), network.parts);
}

// What `overture simulate` leaves of a run.
void write_results(const AstraOptions& options, const simulation::SimulationConfig& config,
                   const report::ObservedRun& observed, bool garnet) {
  const std::string header =
      garnet ? "# The run went over Garnet's network; this is the analytical one with the same links.\n" : "";
  simulation::SimulationConfig shown = config;
  // Garnet's messages do share links, whatever its counterpart says of itself. What would help is tried on
  // the network of the run, so not here.
  if (garnet) simulation::analytical(shown).contention = network::Contention::links;
  const report::Run run{
      .name = options.run_name,
      .setup_yaml = header + setup::write_setup({.name = options.run_name, .simulation = config}),
      .config = shown,
      .observed = observed,
      .why = report::why(config, observed.result, !garnet),
      .cost_dollars = network::cost_in_dollars(config.network)};
  const std::filesystem::path folder = options.output.folder;
  claim(options.output, folder, "simulate", run.setup_yaml);
  report::write_run_folder(run, folder);
  if (!options.output.no_report) report::write_html(folder);
  json_result(report::summary_json(run));
  print_why(run.why);
  if (!options.output.no_report) fmt::print("report: {}\n", (folder / "report.html").string());
}

// Links and traffic are those of all NPUs, so they are shown where all were simulated, flit by flit.
report::ObservedRun observe_garnet(const simulation::SimulationConfig& config,
                                   const network::garnet::GarnetConfig& garnet, bool with_results,
                                   std::optional<network::garnet::GarnetStatistics>& flits) {
  const auto simulate = [&](const simulation::Observers& observers) {
    simulation::GarnetResult done = simulation::simulate_garnet(config, garnet, observers);
    flits = std::move(done.network);
    return std::move(done.result);
  };
  report::ObservedRun observed;
  if (!with_results) {
    observed.result = simulate({});
    return observed;
  }
  observed = report::observe_run(simulate);
  if (!flits) {
    observed.traffic.clear();
    observed.links = {};
  }
  return observed;
}

int run(const AstraOptions& options) {
  check_rows(options);
  if (options.synthetic != "training")
    throw UserError({.key = "--synthetic"}, "only training is simulated", "use --synthetic=training");
  AstraRun astra = load_astra(options.files);
  if (options.full) astra.config.scope = system::Scope::all;
  const std::string prefix = folder_prefix(options.path);
  const bool with_results = !options.output.folder.empty();
  report::ObservedRun observed;
  std::optional<network::garnet::GarnetStatistics> flits;
  if (astra.garnet) {
    observed = observe_garnet(astra.config, *astra.garnet, with_results, flits);
  } else if (with_results) {
    observed = report::observe(astra.config, true);
  } else {
    observed.result = simulation::simulate(astra.config);
  }
  const simulation::SimulationResult& result = observed.result;
  const double cost = network::cost_in_dollars(astra.config.network);
  report::write_astra_csv({.path = prefix,
                           .run_name = options.run_name,
                           .total_rows = options.total_rows,
                           .row = options.row,
                           .layer_files = astra.write_reports,
                           .backend_files = !astra.garnet,
                           .cost_dollars = cost},
                          astra.config.workload, result);
  print_layers(astra.config.workload, result);
  if (flits) print_flits(*flits);
  if (!astra.garnet) fmt::print("network cost: {:.0f} $\n", cost);
  fmt::print("reports: {}\n", prefix.empty() ? "./" : prefix);
  if (with_results) write_results(options, astra.config, observed, astra.garnet.has_value());
  return 0;
}

}  // namespace

void add_astra(Command& root) {
  auto options = std::make_shared<AstraOptions>();
  Command command = root.add(
      "astra", "Run ASTRA-sim 1.0's three files, cycle for cycle, with its flags and its CSV reports");
  add_astra_file_options(command, options->files);
  add_output(command, options->output, "none: only the CSV files are written", "-o,--results");
  command.option("--path FOLDER", options->path, "Folder for the CSV files, with a slash at the end")
      .option("--run-name NAME", options->run_name, "Name of the run in the CSV files")
      .option("--total-stat-rows", options->total_rows, "Number of runs that share the CSV files")
      .option("--stat-row", options->row, "Index of this run among them, from 0")
      .option("--synthetic NAME", options->synthetic,
              "Traffic that Garnet's script names; only training is supported")
      .flag("--simulate-all-npus", options->full, "Simulate every NPU, even where all do the same")
      .examples(
          "  overture astra --network-configuration=network.json \\\n"
          "    --system-configuration=system.txt --workload-configuration=workload.txt \\\n"
          "    --path=results/ --run-name=first --num-passes=2\n"
          "  overture astra ... --units-count 4 8 8 --comm-scale 2")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
