#include <filesystem>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/progress.h"
#include "overture/cli/commands.h"
#include "overture/setup/flows_setup.h"
#include "overture/setup/setup.h"
#include "overture/study/collective_bench.h"

namespace overture::cli {
namespace {

using system::CollectiveKind;

struct Options {
  std::string setup;
  std::vector<std::string> overrides;
  std::string collective = "all_reduce";
  std::string algorithm;
  std::string first = "1 KiB";
  std::string last = "64 MiB";
  int factor = 4;
  int chunks = 1;
  std::string out;
};

// nccl-tests writes 8, 64K, 128M and means powers of 1024; with a unit it may also be spelled out.
Bytes parse_size(const std::string& text, const std::string& flag) {
  std::string spelled = text;
  if (!text.empty() && text.back() >= '0' && text.back() <= '9') spelled += " B";
  if (text.ends_with('K') || text.ends_with('M') || text.ends_with('G')) spelled += "iB";
  const Result<Bytes> size = parse_bytes(spelled);
  if (!size) throw UserError({.key = flag}, size.error());
  return size.value();
}

template <class T>
T parse_word(const std::string& text, const std::string& flag) {
  T value{};
  const Result<bool> result = setup::read(text, value);
  if (!result) throw UserError({.key = flag}, result.error().substr(0, result.error().find('\n')));
  return value;
}

using Runner = std::function<study::CollectivePoint(Bytes)>;

// A setup with a topology is a packet-level network; any other is that of `simulate`, whose workload is not
// needed.
Runner make_runner(const Options& options, CollectiveKind kind) {
  const std::string text = read_file(options.setup);
  const setup::Value root = setup::parse_yaml(text, options.setup);
  system::Implementation chosen;
  if (!options.algorithm.empty()) {
    const Result<bool> result = setup::read(std::vector{options.algorithm}, chosen);
    if (!result) throw UserError({.key = "--algorithm"}, result.error());
  }
  if (root.find("topology") != nullptr) {
    const auto flows =
        std::make_shared<setup::FlowsSetup>(setup::parse_flows_setup(text, options.setup, options.overrides));
    system::SystemConfig config{.splits = options.chunks};
    const system::AlgorithmKind standard =
        kind == CollectiveKind::all_to_all ? system::AlgorithmKind::direct : system::AlgorithmKind::ring;
    config.implementation(kind) =
        options.algorithm.empty() ? system::Implementation{{{standard}}, false} : chosen;
    if (const auto opera = setup::make_opera(*flows)) {
      return [flows, opera = *opera, config, kind](Bytes size) {
        return study::run_collective(opera, flows->rotor, config, kind, size);
      };
    }
    return [flows, config, kind](Bytes size) {
      return study::run_collective([&] { return setup::make_topology(*flows); }, flows->network, config, kind,
                                   size);
    };
  }
  auto simulation = std::make_shared<workload::SimulationConfig>(
      setup::parse_setup(text, options.setup, options.overrides).simulation);
  if (!options.algorithm.empty()) {
    if (!chosen.flat)
      chosen.per_dimension.assign(simulation->network.dimensions.size(), chosen.per_dimension.front());
    simulation->system.implementation(kind) = chosen;
  }
  return [simulation, kind](Bytes size) {
    return study::run_collective(simulation->network, simulation->system, kind, size);
  };
}

int run(const Options& options) {
  const auto kind = parse_word<CollectiveKind>(options.collective, "--collective");
  if (options.chunks < 1) throw UserError({.key = "--chunks"}, "must be at least 1");
  const auto sizes =
      study::sizes(parse_size(options.first, "-b"), parse_size(options.last, "-e"), options.factor);
  const Runner runner = make_runner(options, kind);
  std::string csv = "size_bytes,time_us,algbw_GB_per_s,busbw_GB_per_s\n";
  fmt::print("# {} on {}\n", options.collective, options.setup);
  fmt::print("#{:>13} {:>12} {:>8} {:>14} {:>10} {:>10}\n", "size", "count", "type", "time", "algbw",
             "busbw");
  fmt::print("#{:>13} {:>12} {:>8} {:>14} {:>10} {:>10}\n", "(B)", "(elements)", "", "(us)", "(GB/s)",
             "(GB/s)");
  Progress progress(options.collective, static_cast<std::int64_t>(sizes.size()));
  for (const Bytes size : sizes) {
    const study::CollectivePoint point = runner(size);
    progress.finish();
    fmt::print("{:>14} {:>12} {:>8} {:>14.3f} {:>10.3f} {:>10.3f}\n", size.count(), size.count() / 4, "float",
               to_us(point.time), point.algorithm_bandwidth(), point.bus_bandwidth(kind));
    csv += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", size.count(), to_us(point.time),
                       point.algorithm_bandwidth(), point.bus_bandwidth(kind));
    std::fflush(stdout);
  }
  if (!options.out.empty()) write_file(options.out, csv);
  return 0;
}

}  // namespace

void add_bench(Command& root) {
  auto options = std::make_shared<Options>();
  Command bench = root.add("bench", "Measure simulated machines");
  Command command =
      bench.add("collective", "nccl-tests' table for a collective on a network, analytical or packet-level");
  command.positional("setup", options->setup, "Setup of `simulate` or of `flows` (YAML)")
      .option("--collective", options->collective, "all_reduce, all_to_all, all_gather or reduce_scatter")
      .option("--algorithm", options->algorithm,
              "ring, direct, direct:<window>, halving_doubling, ... (default: what suits)")
      .option("--chunks", options->chunks, "Chunks per collective, on packet-level networks")
      .option("-b", options->first, "Smallest size, such as 8, 64K or \"1 MiB\"")
      .option("-e", options->last, "Largest size")
      .option("-f", options->factor, "From one size to the next")
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .option("-o,--out", options->out, "Write the table as CSV, too")
      .examples(
          "  overture bench collective fat-tree.yaml --collective all_to_all -b 64K -e 16M -f 4\n"
          "  overture bench collective dlrm-torus.yaml --collective all_reduce -b 1M -e 1G -f 4")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
