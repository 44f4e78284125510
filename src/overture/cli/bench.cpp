#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/progress.h"
#include "overture/formats/nccl_tests.h"
#include "overture/report/html.h"
#include "overture/report/recorder.h"
#include "overture/report/results_folder.h"
#include "overture/report/trace.h"
#include "overture/setup/setup.h"
#include "overture/setup/steps_file.h"
#include "overture/study/collective_bench.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using system::CollectiveKind;

struct BenchOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string collective = "all_reduce";
  std::string algorithm;
  std::string first = "1 KiB";
  std::string last = "64 MiB";
  int factor = 4;
  std::optional<int> chunks;
  int seeds = 1;
  int max_wall_seconds = 0;  // 0: never
  std::string csv;
  Output output;
  std::string measured;
};

// nccl-tests writes 8, 64K, 128M and means powers of 1024; with a unit it may also be spelled out.
Bytes parse_size(const std::string& text, const std::string& flag) {
  std::string spelled = text;
  if (!text.empty() && text.back() >= '0' && text.back() <= '9') spelled += " B";
  if (text.ends_with('K') || text.ends_with('M') || text.ends_with('G')) spelled += "iB";
  return parsed(parse_bytes(spelled), flag);
}

template <class T>
T parse_word(const std::string& text, const std::string& flag) {
  T value{};
  const Result<bool> result = setup::read(text, value);
  if (!result) {
    const std::vector<std::string> lines = split(result.error(), '\n');
    throw UserError({.key = flag}, lines.front(), lines.size() > 1 ? lines[1] : "");
  }
  return value;
}

// Lines that programs which read nccl-tests' table skip.
std::string comment(const std::string& text) {
  std::string lines = "# ";
  for (const char c : wrap(text, 78, 0)) {
    lines += c;
    if (c == '\n') lines += "# ";
  }
  return lines + "\n";
}

using Runner = std::function<study::CollectivePoint(Bytes)>;

// A size, run once with every seed: the mean, and how far the times lie apart.
struct Measured {
  study::CollectivePoint mean;
  double deviation_us = 0;
};

Measured run_all(const std::vector<Runner>& runners, Bytes size) {
  std::vector<double> times;
  Measured measured;
  for (const Runner& runner : runners) {
    measured.mean = runner(size);
    times.push_back(to_us(measured.mean.time));
  }
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  if (times.size() > 1) {
    measured.mean.time = Duration{std::llround(mean * 1e6)};
    measured.deviation_us = std::sqrt(squares / (count - 1));
  }
  return measured;
}

// As nccl-tests' last line has it: the mean over all sizes.
double average_bus_bandwidth(const std::vector<Measured>& points, CollectiveKind kind) {
  double sum = 0;
  for (const Measured& point : points) sum += point.mean.bus_bandwidth(kind);
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

// What is wrong, and the known ones on the next line.
UserError unknown_algorithm(const std::string& text) {
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::size_t hint = std::min(line_end + 1, text.size());
  return {{.key = "--algorithm"}, text.substr(0, line_end), text.substr(hint)};
}

// The algorithm of the flag, else of the setup, else what is usual; one for every dimension.
system::Implementation implementation(const BenchOptions& options, CollectiveKind kind,
                                      const system::SystemConfig& system, int dimensions) {
  system::Implementation chosen = system.implementation(kind);
  if (!options.algorithm.empty()) {
    const Result<bool> result = setup::read(std::vector{options.algorithm}, chosen);
    if (!result) throw unknown_algorithm(result.error());
    for (system::Algorithm& algorithm : chosen.per_dimension) {
      if (algorithm.kind == system::kFromFile) algorithm.steps = setup::read_steps(kind, algorithm.file);
    }
  }
  if (chosen.per_dimension.empty()) {
    const bool all_to_all = kind == CollectiveKind::all_to_all;
    chosen.per_dimension = {{all_to_all ? system::kDirect : system::kRing}};
  }
  if (!chosen.flat && chosen.per_dimension.size() == 1)
    chosen.per_dimension.assign(static_cast<std::size_t>(dimensions), chosen.per_dimension.front());
  return chosen;
}

using Wall = std::chrono::steady_clock;

// When --max-wall is over.
using WallEnd = std::optional<Wall::time_point>;

// Counted from now.
WallEnd wall_end(const BenchOptions& options) {
  if (options.max_wall_seconds < 0) throw UserError({.key = "--max-wall"}, "must not be negative");
  if (options.max_wall_seconds == 0) return std::nullopt;
  return Wall::now() + std::chrono::seconds(options.max_wall_seconds);
}

bool goes_on(WallEnd end) { return !Interrupt::requested() && !(end && Wall::now() >= *end); }

// The setup of any command; its workload or traffic is not needed.
Runner make_runner(const BenchOptions& options, CollectiveKind kind, int seed, WallEnd end) {
  std::vector<std::string> overrides = options.overrides;
  if (options.seeds > 1) overrides.push_back(fmt::format("seed={}", seed));
  const setup::Setup setup = setup::load_setup(options.setup, overrides, setup::Needs::network);
  simulation::SimulationConfig config{.system = setup.simulation.system,
                                      .network = setup::network_config(setup),
                                      .dimensions = setup.simulation.dimensions,
                                      .system_file = setup.file};
  if (options.chunks) config.system.splits = *options.chunks;
  const int dimensions = simulation::system_dimensions(config).dimensions();
  config.system.implementation(kind) = implementation(options, kind, config.system, dimensions);
  simulation::Limits limits;
  limits.go_on = [end](Time, std::uint32_t) { return goes_on(end); };
  return [config, kind, limits](Bytes size) { return study::bench_collective(config, kind, size, limits); };
}

std::vector<Runner> make_runners(const BenchOptions& options, CollectiveKind kind, WallEnd end) {
  constexpr int kMostSeeds = 1000;
  if (options.seeds < 1 || options.seeds > kMostSeeds)
    throw UserError({.key = "--seeds"}, fmt::format("{} is not from 1 to {}", options.seeds, kMostSeeds));
  std::vector<Runner> runners;
  for (int seed = 1; seed <= options.seeds; ++seed) runners.push_back(make_runner(options, kind, seed, end));
  return runners;
}

// Where the curve bends: half of the best bus bandwidth tells how large a message must be.
std::string why(const std::vector<Measured>& points, CollectiveKind kind) {
  const auto bandwidth = [kind](const Measured& point) { return point.mean.bus_bandwidth(kind); };
  const auto best = std::ranges::max_element(points, {}, bandwidth);
  if (best == points.end()) return {};
  if (kind == CollectiveKind::barrier)
    return fmt::format("a barrier carries no data: its {} are latency", to_string(best->mean.time));
  const std::string most = fmt::format("bus bandwidth is at most {:.4g} GB/s, at {}", bandwidth(*best),
                                       to_string(best->mean.size));
  const auto half = std::ranges::find_if(
      points, [&](const auto& point) { return 2 * bandwidth(point) >= bandwidth(*best); });
  if (half == points.begin()) return most;  // where latency begins to limit lies below all sizes
  return most + fmt::format(
                    ", and half of that from {} on: latency limits smaller messages, the rate of "
                    "links larger ones",
                    to_string(half->mean.size));
}

std::string csv_of(const std::vector<Measured>& points, CollectiveKind kind, bool repeated) {
  std::string csv = "size_bytes,busbw_GB_per_s,algbw_GB_per_s,time_us";
  csv += repeated ? ",time_deviation_us\n" : "\n";
  for (const auto& [point, deviation_us] : points) {
    csv += fmt::format("{},{:.6f},{:.6f},{:.6f}", point.size.count(), point.bus_bandwidth(kind),
                       point.algorithm_bandwidth(), to_us(point.time));
    csv += repeated ? fmt::format(",{:.6f}\n", deviation_us) : "\n";
  }
  return csv;
}

// The collectives one after the other, as nccl-tests runs them.
void write_trace(const BenchOptions& options, const std::vector<Measured>& points, CollectiveKind kind,
                 const fs::path& folder) {
  report::Trace trace(0, std::max(1, points.front().mean.ranks));
  Time now{};
  for (const auto& [point, deviation_us] : points) {
    report::TraceSlice slice{.name = fmt::format("{} {}", report::kernel_name(kind), to_string(point.size)),
                             .start = now,
                             .length = point.time};
    slice.collective = report::TraceCollective{
        .collective = options.collective, .in = point.size, .out = point.size, .group_size = point.ranks};
    trace.add(std::move(slice));
    now += point.time;
  }
  trace.add(report::TraceStep{0, Time{}, now.time_since_epoch()});
  report::write_trace(trace, folder / "trace.json.gz");
}

// The setup, and what else the times depend on.
std::string setup_yaml_of(const BenchOptions& options) {
  std::string text = fmt::format("# overture bench collective --collective {} -b {} -e {} -f {}",
                                 options.collective, options.first, options.last, options.factor);
  if (options.chunks) text += fmt::format(" --chunks {}", *options.chunks);
  if (!options.algorithm.empty()) text += " --algorithm " + options.algorithm;
  if (options.seeds > 1) text += fmt::format(" --seeds {}", options.seeds);
  for (const std::string& change : options.overrides) text += " -s " + change;
  return text + "\n" + read_file(options.setup);
}

void write_results(const BenchOptions& options, const std::vector<Measured>& points, CollectiveKind kind,
                   const fs::path& folder, bool complete) {
  Digest digest;
  for (const Measured& point : points) digest.add(point.mean.time.count());
  write_file(folder / "collective.csv", csv_of(points, kind, options.seeds > 1));
  write_trace(options, points, kind, folder);
  auto summary = report::summary_head(
      {.kind = "bench collective",
       .name = fmt::format("{} on {}", options.collective, fs::path(options.setup).stem().string()),
       .why = why(points, kind)});
  summary.update({{"collective", options.collective},
                  {"ranks", points.front().mean.ranks},
                  {"seeds", options.seeds},
                  {"smallest_time_us", to_us(points.front().mean.time)},
                  {"largest_time_us", to_us(points.back().mean.time)},
                  {"busbw_GB_per_s", points.back().mean.bus_bandwidth(kind)},
                  {"average_busbw_GB_per_s", average_bus_bandwidth(points, kind)},
                  {"digest", digest.text()},
                  {"complete", complete},
                  {"overrides", options.overrides},
                  {"setup_yaml", setup_yaml_of(options)}});
  write_file(folder / "setup.yaml", setup_yaml_of(options));
  write_file(folder / "summary.json", report::summary_text(summary));
  json_result(report::summary_text(summary));
  if (!options.output.no_report) report::write_html(folder);
}

// Beside what is simulated, what nccl-tests measured at the same size.
std::string measured_columns(const std::vector<formats::MeasuredPoint>& measured,
                             const study::CollectivePoint& point) {
  if (measured.empty()) return "";
  const auto same = std::ranges::find(measured, point.size, &formats::MeasuredPoint::size);
  if (same == measured.end() || !(same->time_us > 0)) return fmt::format(" {:>14} {:>8}", "-", "-");
  return fmt::format(" {:>14.3f} {:>8.1f}", same->time_us, 100 * (to_us(point.time) / same->time_us - 1));
}

std::vector<formats::MeasuredPoint> read_measured(const BenchOptions& options) {
  if (options.measured.empty()) return {};
  return formats::parse_nccl_tests(read_file(options.measured), options.measured);
}

// As nccl-tests writes it.
void print_head(const BenchOptions& options) {
  const auto more = [&](std::string_view deviation, std::string_view measured, std::string_view error) {
    return (options.seeds > 1 ? fmt::format(" {:>9}", deviation) : "") +
           (options.measured.empty() ? "" : fmt::format(" {:>14} {:>8}", measured, error));
  };
  fmt::print("# {} on {}\n", options.collective, options.setup);
  fmt::print("#{:>13} {:>12} {:>8} {:>14} {:>10} {:>10}{}\n", "size", "count", "type", "time", "algbw",
             "busbw", more("+-", "measured", "error"));
  fmt::print("#{:>13} {:>12} {:>8} {:>14} {:>10} {:>10}{}\n", "(B)", "(elements)", "", "(us)", "(GB/s)",
             "(GB/s)", more("(us)", "(us)", "(%)"));
}

void print_point(const BenchOptions& options, CollectiveKind kind, const Measured& simulated,
                 const std::vector<formats::MeasuredPoint>& measured) {
  const study::CollectivePoint& point = simulated.mean;
  fmt::print("{:>14} {:>12} {:>8} {:>14.3f} {:>10.3f} {:>10.3f}{}\n", point.size.count(),
             point.size.count() / 4, "float", to_us(point.time), point.algorithm_bandwidth(),
             point.bus_bandwidth(kind),
             (options.seeds > 1 ? fmt::format(" {:>9.3f}", simulated.deviation_us) : "") +
                 measured_columns(measured, point));
  std::fflush(stdout);
}

// Those that were simulated in time, in order.
std::vector<Measured> run_sizes(const BenchOptions& options, CollectiveKind kind,
                                const std::vector<Bytes>& sizes, const std::vector<Runner>& runners,
                                const std::vector<formats::MeasuredPoint>& measured, WallEnd end) {
  print_head(options);
  std::vector<Measured> points;
  Progress progress(options.collective, static_cast<std::int64_t>(sizes.size()));
  for (const Bytes size : sizes) {
    if (!goes_on(end)) break;
    progress.update(static_cast<std::int64_t>(points.size()));
    const Measured simulated = run_all(runners, size);
    progress.finish();
    if (!simulated.mean.complete) break;
    print_point(options, kind, simulated, measured);
    points.push_back(simulated);
  }
  return points;
}

int run(const BenchOptions& options) {
  const auto kind = parse_word<CollectiveKind>(options.collective, "--collective");
  const int chunks = options.chunks.value_or(1);
  if (chunks < 1 || chunks > 1'000'000)  // as system.chunks
    throw UserError({.key = "--chunks"}, fmt::format("{} is not from 1 to 1000000", chunks));
  auto sizes = study::sizes(parse_size(options.first, "-b"), parse_size(options.last, "-e"), options.factor);
  if (kind == CollectiveKind::barrier) sizes.resize(1);  // it has none
  const Interrupt interrupt;
  Interrupt::end_after(static_cast<unsigned>(options.max_wall_seconds));
  const auto end = wall_end(options);
  const std::vector<Runner> runners = make_runners(options, kind, end);
  const std::vector<formats::MeasuredPoint> measured = read_measured(options);
  const fs::path folder = options.output.folder_or(
      fs::path("results") /
      fmt::format("{}-{}", fs::path(options.setup).stem().string(), options.collective));
  claim(options.output, folder, "bench collective", setup_yaml_of(options));
  const std::vector<Measured> points = run_sizes(options, kind, sizes, runners, measured, end);
  if (!options.csv.empty()) write_file(options.csv, csv_of(points, kind, options.seeds > 1));
  const bool complete = points.size() == sizes.size();
  if (!complete) fmt::print("#\n# cut short after {} of {} sizes\n", points.size(), sizes.size());
  const int code = exit_code(complete);
  if (points.empty()) return code;
  write_results(options, points, kind, folder, complete);
  fmt::print("# Avg bus bandwidth    : {:.4f} GB/s\n", average_bus_bandwidth(points, kind));
  fmt::print("#\n{}# results: {}\n", comment("why: " + why(points, kind)), folder.string());
  if (!options.output.no_report) fmt::print("# report: {}\n", (folder / "report.html").string());
  return code;
}

}  // namespace

void add_bench(Command& root) {
  auto options = std::make_shared<BenchOptions>();
  Command bench =
      root.add("bench", "Measure collectives on simulated machines, and messages between real ones");
  add_bench_transport(bench);
  Command command = bench.add("collective", "Time a collective on any network and print nccl-tests' table");
  add_output(command, options->output, "results/<setup>-<collective>");
  command.positional("setup", options->setup, "Setup file (YAML); only its network and system matter")
      .option("--collective KIND", options->collective,
              "all_reduce, all_to_all, all_gather, reduce_scatter, broadcast or barrier")
      .option("--algorithm NAME", options->algorithm,
              "ring, direct, halving_doubling, bruck, ...; `overture explain system.all_reduce` has all "
              "(default: the one that suits the network)")
      .option("--chunks N", options->chunks, "Chunks per collective (default: system.chunks of the setup)")
      .option("-b SIZE", options->first, "Smallest size, such as 8, 64K or \"1 MiB\"")
      .option("-e SIZE", options->last, "Largest size")
      .option("-f", options->factor, "Factor from one size to the next")
      .option("--seeds", options->seeds,
              "Runs of every size, with the seeds 1, 2, ...; shows mean and spread")
      .option("--max-wall", options->max_wall_seconds,
              "Stop after this many seconds and report what has finished; 0: never")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--measured FILE", options->measured,
              "Output of nccl-tests (table, or JSON of -J) to show beside ours")
      .option("--csv FILE", options->csv, "Also write the table to this CSV file")
      .examples(
          "  overture bench collective fat-tree.yaml --collective all_to_all \\\n"
          "    -b 64K -e 16M -f 4\n"
          "  overture bench collective dlrm-torus.yaml -b 1M -e 1G -f 4")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
