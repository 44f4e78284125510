#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/cli/commands.h"
#include "overture/network/analytical/astra_json.h"
#include "overture/report/astra_csv.h"
#include "overture/system/astra_system.h"
#include "overture/workload/astra_text.h"
#include "overture/workload/simulation.h"

namespace overture::cli {
namespace {

struct Options {
  std::string network;
  std::string system;
  std::string workload;
  std::string path;
  std::string run_name = "unnamed run";
  int passes = 1;
  int queues = 1;
  float comm_scale = 1;
  float compute_scale = 1;
  float injection_scale = 1;
  int total_rows = 1;
  int row = 0;
  bool rendezvous = false;
  std::vector<int> units;
  std::vector<int> links;
  std::vector<double> bandwidth;
  std::vector<double> latency;
  bool full = false;
};

template <class T>
std::optional<std::vector<T>> given(const std::vector<T>& values) {
  return values.empty() ? std::nullopt : std::optional(values);
}

void check_options(const Options& options) {
  const auto need = [](bool holds, const std::string& flag, const std::string& what) {
    if (!holds) throw UserError({.key = flag}, what);
  };
  need(options.passes >= 1, "--num-passes", "must be at least 1");
  need(options.queues >= 1, "--num-queues-per-dim", "must be at least 1");
  need(options.comm_scale > 0, "--comm-scale", "must be above zero");
  need(options.compute_scale >= 0, "--compute-scale", "must not be negative");
  need(options.injection_scale >= 0, "--injection-scale", "must not be negative");
  need(options.total_rows >= 1, "--total-stat-rows", "must be at least 1");
  need(options.row >= 0 && options.row < options.total_rows, "--stat-row", "must be from 0 to total-stat-rows - 1");
}

// A folder without its slash is taken as the folder, and one that does not exist is made.
std::string folder_prefix(const std::string& path) {
  if (path.empty()) return path;
  if (std::filesystem::is_directory(path)) return path.back() == '/' ? path : path + '/';
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) throw UserError({.file = path, .key = "--path"}, "cannot be made: " + error.message());
  return path;
}

workload::SimulationConfig load(const Options& options, bool& write_reports) {
  workload::SimulationConfig config;
  config.network = network::parse_astra_network(read_file(options.network), options.network,
                                                {.units_count = given(options.units),
                                                 .links_count = given(options.links),
                                                 .link_latency = given(options.latency),
                                                 .link_bandwidth = given(options.bandwidth)});
  const auto system = system::parse_astra_system(read_file(options.system), options.system,
                                                 {.queues_per_dimension = options.queues,
                                                  .injection_scale = options.injection_scale,
                                                  .rendezvous = options.rendezvous},
                                                 static_cast<int>(config.network.dimensions.size()));
  config.system = system.config;
  config.system_file = options.system;
  write_reports = system.write_reports;
  config.workload = workload::parse_astra_workload(
      read_file(options.workload), options.workload,
      {.compute = options.compute_scale, .communication = options.comm_scale});
  config.passes = options.passes;
  config.step = Nanoseconds{1};
  if (options.full) config.scope = system::Scope::all;
  return config;
}

void print_layers(const workload::Workload& workload, const workload::SimulationResult& result) {
  const auto cycles = [](Duration d) { return d / Nanoseconds{1}; };
  for (std::size_t l = 0; l < workload.layers.size(); ++l) {
    fmt::print("layer {}: {}\n", l, workload.layers[l].name);
    for (const auto kind : {workload::PassKind::forward, workload::PassKind::input_gradient,
                            workload::PassKind::weight_gradient}) {
      const workload::PassAccount& account = result.layers[l].of(kind);
      fmt::print("  {}: compute {} cycles, communication {} cycles, of which exposed {}\n", workload::name(kind),
                 cycles(account.compute), cycles(account.communication), cycles(account.exposed));
    }
  }
  fmt::print("all passes finished at time: {}\n", cycles(result.finished));
  fmt::print("total compute: {} cycles, total exposed communication: {} cycles (1 cycle = 1 ns)\n",
             cycles(result.compute()), cycles(result.exposed()));
  fmt::print("network cost: {:.0f} $\n", result.cost_dollars);
}

int run(const Options& options) {
  check_options(options);
  bool write_reports = true;
  const workload::SimulationConfig config = load(options, write_reports);
  const std::string prefix = folder_prefix(options.path);
  const workload::SimulationResult result = workload::simulate(config);
  report::write_astra_csv({.path = prefix,
                           .run_name = options.run_name,
                           .total_rows = options.total_rows,
                           .row = options.row,
                           .layer_files = write_reports},
                          config.workload, result);
  print_layers(config.workload, result);
  fmt::print("reports: {}\n", prefix.empty() ? "./" : prefix);
  return 0;
}

}  // namespace

void add_astra(Command& root) {
  auto options = std::make_shared<Options>();
  Command command = root.add("astra", "Run ASTRA-sim 1.0's three files, cycle for cycle, with its flags and its CSV reports");
  command.required_option("--network-configuration", options->network, "Network file (JSON)")
      .required_option("--system-configuration", options->system, "System file")
      .required_option("--workload-configuration", options->workload, "Workload file")
      .option("--path", options->path, "Folder for the CSV files, with a slash at the end")
      .option("--run-name", options->run_name, "Name of the run in the CSV files")
      .option("--num-passes", options->passes, "Training iterations")
      .option("--num-queues-per-dim", options->queues, "Queues per dimension")
      .option("--comm-scale", options->comm_scale, "Multiplies every communication size")
      .option("--compute-scale", options->compute_scale, "Multiplies every compute time")
      .option("--injection-scale", options->injection_scale, "Multiplies the endpoint delay")
      .option("--total-stat-rows", options->total_rows, "How many runs share the CSV files")
      .option("--stat-row", options->row, "Which of them this is, from 0")
      .option("--rendezvous-protocol", options->rendezvous, "Receivers clear every message first")
      .option("--units-count", options->units, "NPUs per dimension, instead of the file's")
      .option("--links-count", options->links, "Links per NPU and dimension, instead of the file's")
      .option("--link-bandwidth", options->bandwidth, "GB/s (2^30 B) per link, instead of the file's")
      .option("--link-latency", options->latency, "ns per link, instead of the file's")
      .flag("--simulate-all-npus", options->full, "Simulate every NPU even where one tells all")
      .examples("  overture astra --network-configuration=network.json --system-configuration=system.txt \\\n"
                "      --workload-configuration=workload.txt --path=results/ --run-name=first --num-passes=2\n"
                "  overture astra ... --units-count 4 8 8 --comm-scale 2")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
