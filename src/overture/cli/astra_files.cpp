#include "overture/cli/astra_files.h"

#include <optional>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/network/analytical/astra_json.h"
#include "overture/system/astra_system.h"
#include "overture/workload/astra_text.h"

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
  need(files.passes >= 1, "--num-passes", "must be at least 1");
  need(files.queues >= 1 && files.queues <= 10'000, "--num-queues-per-dim", "must be from 1 to 10000");
  need(files.comm_scale > 0, "--comm-scale", "must be above zero");
  need(files.compute_scale >= 0, "--compute-scale", "must not be negative");
  need(files.injection_scale >= 0, "--injection-scale", "must not be negative");
}

}  // namespace

void add_astra_file_options(Command& command, AstraFiles& files) {
  command.required_option("--network-configuration", files.network, "Network file (JSON)")
      .required_option("--system-configuration", files.system, "System file")
      .required_option("--workload-configuration", files.workload, "Workload file")
      .option("--num-passes", files.passes, "Training iterations")
      .option("--num-queues-per-dim", files.queues, "Queues per dimension")
      .option("--comm-scale", files.comm_scale, "Multiplies every communication size")
      .option("--compute-scale", files.compute_scale, "Multiplies every compute time")
      .option("--injection-scale", files.injection_scale, "Multiplies the endpoint delay")
      .option("--rendezvous-protocol", files.rendezvous, "Receivers clear every message first")
      .option("--units-count", files.units, "NPUs per dimension, instead of the file's")
      .option("--links-count", files.links, "Links per NPU and dimension, instead of the file's")
      .option("--link-bandwidth", files.bandwidth, "GB/s (2^30 B) per link, instead of the file's")
      .option("--link-latency", files.latency, "ns per link, instead of the file's");
}

AstraRun load_astra(const AstraFiles& files) {
  check_numbers(files);
  AstraRun run;
  simulation::SimulationConfig& config = run.config;
  config.network = network::parse_astra_network(read_file(files.network), files.network,
                                                {.units_count = given(files.units),
                                                 .links_count = given(files.links),
                                                 .link_latency = given(files.latency),
                                                 .link_bandwidth = given(files.bandwidth)});
  const auto system = system::parse_astra_system(read_file(files.system), files.system,
                                                 {.queues_per_dimension = files.queues,
                                                  .injection_scale = files.injection_scale,
                                                  .rendezvous = files.rendezvous},
                                                 simulation::system_dimensions(config).dimensions());
  config.system = system.config;
  config.system_file = files.system;
  config.workload_file = files.workload;
  run.write_reports = system.write_reports;
  config.workload =
      workload::parse_astra_workload(read_file(files.workload), files.workload,
                                     {.compute = files.compute_scale, .communication = files.comm_scale});
  config.passes = files.passes;
  config.step = Nanoseconds{1};
  return run;
}

}  // namespace overture::cli
