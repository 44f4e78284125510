#include <filesystem>
#include <memory>

#include "overture/cli/astra2_files.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/setup/setup.h"

namespace overture::cli {
namespace {

struct ImportAstra2Options {
  Astra2Files files;
  bool aware = false;
  std::string name = "imported from ASTRA-sim 2";
  std::string out;
};

// One link a direction, as ASTRA-sim 2 has it. The formula sends over all links of a ring at once, shared
// links half of them each way.
network::AnalyticalConfig imported_network(const astra2::NetworkFile& file) {
  using topology::DimensionKind;
  network::AnalyticalConfig network;
  network.contention = file.congestion_aware ? network::Contention::links : network::Contention::none;
  for (const astra2::Dimension& dimension : file.dimensions) {
    network::DimensionConfig d;
    d.kind = dimension.kind;
    d.size = dimension.npus;
    d.link_latency_ns = dimension.latency_ns;
    d.link_gib_per_s = dimension.gib_per_s;
    d.links = dimension.kind == DimensionKind::fully_connected                 ? dimension.npus - 1
              : dimension.kind == DimensionKind::ring && file.congestion_aware ? 2
                                                                               : 1;
    network.dimensions.push_back(d);
  }
  return network;
}

system::SystemConfig imported_system(const astra2::Config& config) {
  system::SystemConfig system;
  system.scheduling = config.system.policy;
  system.endpoint_delay = Nanoseconds{config.system.endpoint_delay_ns};
  system.active_chunks = config.system.active_chunks;
  system.splits = static_cast<int>(std::max<std::int64_t>(1, config.system.splits));
  system.queues_per_dimension = config.queues;
  system.optimization = config.system.optimization;
  system.shared_bus = config.system.shared_bus;
  system.rendezvous = config.rendezvous;
  for (std::size_t k = 0; k < astra2::kPlayed; ++k) {
    const auto kind = kind_of(static_cast<astra2::Played>(k));
    for (const astra2::Implementation& one : config.system.implementations[k]) {
      system.implementation(kind).per_dimension.push_back(one.algorithm);
      system.implementation(kind).flat = one.everybody;
    }
  }
  return system;
}

std::string seen_from(const std::string& file, const std::string& out) {
  namespace fs = std::filesystem;
  const fs::path folder = out.empty() ? fs::current_path() : fs::absolute(out).parent_path();
  return fs::absolute(file).lexically_normal().lexically_relative(folder).string();
}

int run(const ImportAstra2Options& options) {
  const Astra2Run loaded = load_astra2(options.files, options.aware);
  const astra2::Files& files = options.files.files;
  setup::Setup setup{.name = options.name};
  setup.chakra = seen_from(files.workload, options.out);
  if (files.groups.find("empty") == std::string::npos)
    setup.chakra_groups = seen_from(files.groups, options.out);
  setup.simulation.network = imported_network(loaded.config.network);
  setup.simulation.system = imported_system(loaded.config);
  const std::string header =
      "# Imported from ASTRA-sim 2 files. `overture astra2` gives its exact cycles; here operations overlap "
      "as their\n"
      "# dependencies allow, reductions and remote memory take no time of their own, and any network can "
      "follow.\n";
  write_or_print(options.out, header + setup::write_setup(setup));
  return 0;
}

}  // namespace

void add_import_astra2(Command& import) {
  auto options = std::make_shared<ImportAstra2Options>();
  Command command =
      import.add("astra2", "ASTRA-sim 2's files, with the flags of `overture astra2`, as one setup");
  add_astra2_file_options(command, options->files);
  command.flag("--congestion-aware", options->aware, "Model links with queues, which messages share")
      .option("--name NAME", options->name, "Name of the run")
      .option("-o,--out FILE", options->out, "Setup file to write (default: standard output)")
      .examples(
          "  overture import astra2 --workload-configuration=astra2/workload \\\n"
          "      --system-configuration=astra2/system.json \\\n"
          "      --network-configuration=astra2/network.yml -o dlrm8.yaml\n"
          "  overture simulate dlrm8.yaml")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
