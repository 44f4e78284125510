#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "overture/astra2/files.h"
#include "overture/astra2/machine.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/text.h"
#include "overture/cli/astra2_files.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/report/npu_folder.h"

namespace overture::cli {
namespace {

struct Astra2Options {
  Astra2Files files;
  std::string backend = "congestion_unaware";
  std::string logging = "empty";
  std::string log_folder;
  Output output;
  std::string run_name = "ASTRA-sim 2 run";
  bool aware = false;
  bool full = false;
  bool quiet = false;
};

// The original's log, line by line: as its console shows it, and with the level "debug" as its file has it.
class AstraLog {
 public:
  void line(std::string_view logger, std::string_view text, std::string_view level = "info") {
    const auto now = std::chrono::system_clock::now();
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    const std::string line =
        fmt::format("[{:%Y-%m-%d %H:%M:%S}.{:03}] [{}] [{}] {}\n",
                    fmt::localtime(std::chrono::system_clock::to_time_t(now)), ms, logger, level, text);
    if (level != "debug") console_ += line;
    file_ += line;
  }
  const std::string& console() const { return console_; }
  const std::string& file() const { return file_; }

 private:
  std::string console_;
  std::string file_;
};

void log_rings(AstraLog& log, const astra2::Config& config) {
  using astra2::Played;
  for (const Played kind :
       {Played::all_reduce, Played::reduce_scatter, Played::all_gather, Played::all_to_all}) {
    for (const astra2::LogicalDimension& dimension : astra2::logical_dimensions(config, kind)) {
      if (dimension.implementation.algorithm.kind == system::kDoubleBinaryTree) continue;
      log.line(
          "system::topology::RingTopology",
          fmt::format(
              "ring of node 0, id: 0 dimension: local total nodes in ring: {0} index in ring: 0 offset: {1} "
              "total nodes in ring: {0}",
              dimension.size, dimension.stride));
    }
  }
}

void log_uses(AstraLog& log, const astra2::NpuResult& npu, int number) {
  using astra2::Use;
  std::vector<std::pair<Use, std::string_view>> uses{{Use::communication, "Comm"},
                                                     {Use::gpu, "GPU"},
                                                     {Use::cpu, "CPU"},
                                                     {Use::remote_memory, "Remote mem"},
                                                     {Use::invalid, "Invalid"}};
  if (npu.last_started == Use::gpu) std::swap(uses[0], uses[1]);
  for (const auto& [use, word] : uses) {
    const auto u = static_cast<std::size_t>(use);
    if (npu.has[u]) log.line("statistics", fmt::format("sys[{}], {} time: {}", number, word, npu.used[u]));
  }
  if (npu.overlap() > 0)
    log.line("statistics",
             fmt::format("sys[{}], Total compute-communication overlap: {}", number, npu.overlap()));
}

void log_roofline(AstraLog& log, const astra2::NpuResult& npu, int number) {
  const double total = static_cast<double>(npu.compute_nodes_cycles) + 1;  // the original's guard against 0
  const auto percent = [&](std::string_view word, double sum) {
    log.line("statistics", fmt::format("sys[{}], {}: {:.3f}%", number, word, 100 * sum / total));
  };
  percent("Compute bound percentage", npu.compute_bound);
  percent("Average compute utilization", npu.compute_use);
  percent("Average memory utilization", npu.memory_use);
  log.line("statistics",
           fmt::format("sys[{}], Average operation intensity: {:.3f}", number, npu.intensity / total));
}

void log_npu(AstraLog& log, const astra2::NpuResult& npu, int number, bool roofline) {
  log.line("workload", fmt::format("sys[{}] finished, {} cycles, exposed communication {} cycles.", number,
                                   npu.cycles, npu.exposed()));
  log.line("statistics", fmt::format("sys[{}]. Post statistics processing start.", number));
  log.line("statistics", fmt::format("sys[{}]. Post statistics processing end.", number));
  log.line("statistics", fmt::format("sys[{}], Wall time: {}", number, npu.cycles));
  log_uses(log, npu, number);
  if (roofline) log_roofline(log, npu, number);
}

// What trace-enabled adds to the log file: every node as it is issued and as it ends.
void log_nodes(AstraLog& log, const report::NpuRecorder& recorder) {
  struct Line {
    std::int64_t tick;
    int order;  // of one tick: what ends lets others begin
    const report::NpuRecorder::Interval* of;
    bool ends;
  };
  std::vector<Line> lines;
  for (const auto& interval : recorder.intervals()) {
    lines.push_back({interval.start_ns, 1, &interval, false});
    lines.push_back({interval.end_ns, interval.end_ns == interval.start_ns ? 2 : 0, &interval, true});
  }
  std::ranges::stable_sort(lines, {}, [](const Line& line) { return std::pair(line.tick, line.order); });
  for (const Line& line : lines) {
    const astra2::Program& program = *recorder.programs()[static_cast<std::size_t>(line.of->npu)];
    const chakra::Node& node = program.node(line.of->node);
    log.line("workload",
             fmt::format("{},sys->id={}, tick={}, node->id={}, node->name={}, node->type={}",
                         line.ends ? "callback" : "issue", line.of->npu, line.tick, node.id,
                         program.trace.name(node), static_cast<int>(node.kind)),
             "debug");
  }
}

bool is_aware(const std::string& backend) {
  if (backend == "congestion_aware" || backend == "aware") return true;
  if (backend == "congestion_unaware" || backend == "unaware") return false;
  throw UserError({.key = "--backend"}, fmt::format("unknown backend \"{}\"", backend),
                  "known: congestion_unaware, congestion_aware");
}

bool runs_aware(const Astra2Options& options) { return options.aware || is_aware(options.backend); }

void write_log(const Astra2Options& options, const AstraLog& log, bool traced) {
  if (!options.quiet) fmt::print("{}", log.console());
  if (options.log_folder.empty() && !traced) return;
  const std::filesystem::path folder = options.log_folder.empty() ? "log" : options.log_folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  write_file(folder / "log.log", log.file());
}

// The files of the run, for whoever looks at the folder later.
std::string files_yaml(const Astra2Options& options) {
  const astra2::Files& files = options.files.files;
  return fmt::format(
      "astra2:\n  backend: {}\n  workload: {}\n  system: {}\n  network: {}\n  memory: {}\n  groups: {}\n"
      "  queues: {}\n  injection_scale: {}\n  rendezvous: {}\n",
      runs_aware(options) ? "congestion_aware" : "congestion_unaware", files.workload, files.system,
      files.network, files.memory, files.groups, files.queues, options.files.injection_scale,
      files.rendezvous);
}

void give_results(const Astra2Options& options, const Astra2Run& loaded, const astra2::MachineResult& result,
                  const report::NpuRecorder& recorder) {
  const report::NpuRun run{.name = options.run_name,
                           .setup_yaml = files_yaml(options),
                           .config = loaded.config,
                           .result = result,
                           .recorder = recorder};
  json_result(npu_summary_json(run));
  if (options.output.folder.empty()) return;
  const std::filesystem::path folder = options.output.folder;
  write_npu_folder(run, folder, !options.output.no_report);
  fmt::print(stderr, "why: {}\n", wrap(npu_why(run), 80, 5));
  fmt::print(stderr, "results: {}\n", folder.string());
  if (!options.output.no_report) fmt::print(stderr, "report: {}\n", (folder / "report.html").string());
}

// The log has a line for every ring that an NPU makes.
astra2::RunOptions logged(const Astra2Options& options, AstraLog& log) {
  astra2::RunOptions how{.simulate_all = options.full};
  how.ring_made = [&log](int npu, int size, int coordinate) {
    log.line("system::topology::RingTopology",
             fmt::format(
                 "custom ring, id: {0}, dimension: local total nodes in ring: {1} index in ring: {2} total "
                 "nodes in ring {1}",
                 npu, size, coordinate));
  };
  return how;
}

int run(const Astra2Options& options) {
  const Interrupt interrupt;
  const Astra2Run loaded = load_astra2(options.files, runs_aware(options));
  if (!options.output.folder.empty())
    claim(options.output, options.output.folder, "astra2", files_yaml(options));
  for (const std::string& warning : astra2::warnings(loaded.config))
    fmt::print(stderr, "note: {}\n", warning);
  AstraLog log;
  log_rings(log, loaded.config);
  const bool traced = loaded.config.system.trace;
  astra2::RunOptions how = logged(options, log);
  how.simulate_all |= traced;
  report::NpuRecorder recorder(loaded.programs);
  if (!options.output.folder.empty() || traced) how.observer = recorder.observer();
  const astra2::MachineResult result = astra2::run(loaded.config, loaded.programs, how);
  if (traced) log_nodes(log, recorder);
  for (const int npu : result.finish_order)
    log_npu(log, result.npus[static_cast<std::size_t>(npu)], npu, loaded.config.system.roofline);
  if (result.complete) log.line("system", "Exiting", "warning");
  write_log(options, log, traced);
  give_results(options, loaded, result, recorder);
  if (result.complete) return 0;
  fmt::print(stderr, "NPUs that had not finished are not listed\n");
  return kInterrupted;
}

}  // namespace

void add_astra2(Command& root) {
  auto options = std::make_shared<Astra2Options>();
  Command command = root.add(
      "astra2", "Run ASTRA-sim 2's files (Chakra traces), cycle for cycle, with its flags and its log");
  add_astra2_file_options(command, options->files);
  add_output(command, options->output, "none: only the log is printed", "-o,--results");
  command
      .option("--backend NAME", options->backend,
              "congestion_unaware, or congestion_aware (links with queues, one dimension)")
      .flag("--congestion-aware", options->aware, "The same as --backend congestion_aware")
      .option("--logging-configuration FILE", options->logging, "Accepted, but not read")
      .option("--logging-folder FOLDER", options->log_folder,
              "Also write the log to FOLDER/log.log; where trace-enabled is set, to log/log.log by default")
      .option("--run-name NAME", options->run_name, "Name of the run in the results")
      .flag("--simulate-all-npus", options->full, "Simulate every NPU, even where all do the same")
      .flag("--quiet", options->quiet, "Do not print the log")
      .examples(
          "  overture astra2 --workload-configuration=workload \\\n"
          "    --system-configuration=system.json --network-configuration=network.yml \\\n"
          "    --remote-memory-configuration=memory.json\n"
          "  overture astra2 --backend congestion_aware -o results/aware ...")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
