#include "overture/cli/astra_files.h"

#include <filesystem>
#include <optional>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/formats/astra/garnet_text.h"
#include "overture/formats/astra/network_json.h"
#include "overture/formats/astra/system_text.h"
#include "overture/formats/astra/workload_text.h"
#include "overture/simulation/garnet_run.h"

namespace overture::cli {
namespace {

template <class T>
std::optional<std::vector<T>> given(const std::vector<T>& values) {
  return values.empty() ? std::nullopt : std::optional(values);
}

void check_numbers(const AstraFiles& files) {
  const auto need = [](bool holds, const std::string& flag, const std::string& what) {
    if (!holds) throw UserError({.key = flag}, what);
  };
  need(files.passes.value_or(1) >= 1, "--num-passes", "must be at least 1");
  need(files.queues >= 1 && files.queues <= 10'000, "--num-queues-per-dim", "must be from 1 to 10000");
  need(files.garnet_order == "clean" || files.garnet_order == "original", "--garnet-order",
       "must be clean or original");
  need(files.comm_scale > 0, "--comm-scale", "must be above zero");
  need(files.compute_scale >= 0, "--compute-scale", "must not be negative");
  need(files.injection_scale >= 0, "--injection-scale", "must not be negative");
}

// Garnet's network file is named without its suffix.
std::string network_file(const std::string& given) {
  const std::string with_suffix = given + ".txt";
  return !std::filesystem::exists(given) && std::filesystem::exists(with_suffix) ? with_suffix : given;
}

// The analytical backend's is JSON, Garnet's is not.
bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos || text[first] == '{';
}

// Garnet's command line has none of these.
void check_garnet_flags(const AstraFiles& files) {
  const auto refuse = [](bool given, const std::string& flag, const std::string& hint) {
    if (given) throw UserError({.key = flag}, "does nothing on Garnet's network", hint);
  };
  const std::string in_file = "change the network file";
  refuse(files.queues != 1, "--num-queues-per-dim", "the rings of the network file are the queues");
  refuse(files.injection_scale != 1, "--injection-scale", "change endpoint-delay in the system file");
  refuse(files.rendezvous, "--rendezvous-protocol", "leave it out");
  refuse(!files.units.empty(), "--units-count", in_file);
  refuse(!files.links.empty(), "--links-count", in_file);
  refuse(!files.bandwidth.empty(), "--link-bandwidth", in_file);
  refuse(!files.latency.empty(), "--link-latency", in_file);
}

network::AnalyticalConfig parse_analytical(const std::string& text, const std::string& file,
                                           const AstraFiles& files) {
  return formats::parse_astra_network(text, file,
                                      {.units_count = given(files.units),
                                       .links_count = given(files.links),
                                       .link_latency = given(files.latency),
                                       .link_bandwidth = given(files.bandwidth)});
}

// How many of the last dimensions have one NPU each.
int last_single(const network::AnalyticalConfig& network) {
  int count = 0;
  for (auto d = network.dimensions.rbegin(); d != network.dimensions.rend() && d->size == 1; ++d) ++count;
  return count;
}

}  // namespace

void add_astra_file_options(Command& command, AstraFiles& files) {
  command
      .required_option("--network-configuration FILE", files.network,
                       "Network file: JSON for the analytical network, text for Garnet's")
      .required_option("--system-configuration FILE", files.system, "System file")
      .required_option("--workload-configuration FILE", files.workload, "Workload file")
      .option("--num-passes", files.passes, "Training iterations (default: 1; with Garnet: 2)")
      .option("--num-queues-per-dim", files.queues, "Queues per dimension")
      .option("--comm-scale NUMBER", files.comm_scale, "Multiplies every communication size")
      .option("--compute-scale NUMBER", files.compute_scale, "Multiplies every compute time")
      .option("--injection-scale NUMBER", files.injection_scale, "Multiplies the endpoint delay")
      .option("--rendezvous-protocol", files.rendezvous, "A message is sent only when its receiver is ready")
      .option("--garnet-order ORDER", files.garnet_order,
              "Order of equal credits: clean (first in, first out), or original (as in its heap)")
      .option("--units-count", files.units, "NPUs per dimension, instead of the file's")
      .option("--links-count", files.links, "Links per NPU and dimension, instead of the file's")
      .option("--link-bandwidth", files.bandwidth, "GB/s (2^30 B) per link, instead of the file's")
      .option("--link-latency", files.latency, "ns per link, instead of the file's");
}

AstraRun load_astra(const AstraFiles& files) {
  check_numbers(files);
  AstraRun run;
  simulation::SimulationConfig& config = run.config;
  const std::string file = network_file(files.network);
  const std::string text = read_file(file);
  if (is_json(text)) {
    config.network = parse_analytical(text, file, files);
  } else {
    check_garnet_flags(files);
    run.garnet = formats::parse_astra_garnet(text, file);
    run.garnet->original_order = files.garnet_order == "original";
    config.network = simulation::analytical_counterpart(*run.garnet);
  }
  const auto system = formats::parse_astra_system(
      read_file(files.system), files.system,
      {.queues_per_dimension = files.queues,
       .injection_scale = files.injection_scale,
       .rendezvous = files.rendezvous,
       .optional_dimensions = run.garnet ? last_single(simulation::analytical(config)) : 0,
       .unused_all_to_all = run.garnet.has_value()},
      simulation::system_dimensions(config).dimensions());
  config.system = system.config;
  if (run.garnet) simulation::put_on_garnet(config, *run.garnet);
  config.system_file = files.system;
  config.workload_file = files.workload;
  run.write_reports = system.write_reports;
  config.workload =
      formats::parse_astra_workload(read_file(files.workload), files.workload,
                                    {.compute = files.compute_scale, .communication = files.comm_scale});
  config.passes = files.passes.value_or(run.garnet ? 2 : 1);
  config.step = Nanoseconds{1};
  return run;
}

}  // namespace overture::cli
