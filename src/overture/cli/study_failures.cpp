#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/printable.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/run_progress.h"
#include "overture/cli/study_results.h"
#include "overture/network/run_flows.h"
#include "overture/report/results_folder.h"
#include "overture/setup/setup.h"
#include "overture/simulation/simulation.h"
#include "overture/study/failures/report.h"
#include "overture/train/checkpoint.h"

namespace overture::cli {
namespace {

namespace failures = study::failures;

constexpr const char* kParts[] = {"goodput", "slow", "networks", "connectivity"};

struct FailuresOptions {
  std::string nodes = "128,1024,8192";
  // Llama 3 (2024): 16,384 GPUs in 2,048 nodes, 419 interruptions in 54 days, 8 % of them by the network.
  float node_mtbf = 7000;
  float link_mtbf = 300'000;
  float switch_mtbf = 100'000;
  float shape = 1;
  float write = 60;
  float read = 60;
  float restart = 300;
  float days = 30;
  int runs = 1000;
  std::string from;
  std::string parts = "goodput,slow,networks,connectivity";
  Output output{.folder = "results/failures"};
};

// ---- what one slow node costs

constexpr const char* kTraining = R"(name: {name}
passes: 3
network:
  backend: flow
  topology: {{fat_tree: {{k: 4}}}}
system: {{all_reduce: [halving_doubling], active_chunks: 1000000, endpoint_delay: 0 ns}}
workload:
  dlrm:
    dense_features: 13
    bottom: {{widths: [512, 256, 64]}}
    top: {{widths: [512, 256, 1]}}
    tables: {{count: 26, rows: 10131227, columns: 64}}
    batch: 2048
{cache}{faults})";

std::string cache_of(int lookahead) {
  return lookahead == 0 ? ""
                        : fmt::format("  cache: {{lookahead: {}, data: {{synthetic: kaggle}}}}\n", lookahead);
}

// Node 3 of 16; its cable is h3-s1.
std::string fault_of(const std::string& slow, double factor) {
  if (factor == 1) return "";
  if (slow == "computing") return fmt::format("faults: {{nodes: [{{node: 3, slowdown: {:g}}}]}}\n", factor);
  return fmt::format("faults: {{links: [{{between: h3-s1, loss: {:g}}}]}}\n", 1 - 1 / factor);
}

failures::SlowRun run_slow(const std::string& training, int lookahead, const std::string& slow, double factor,
                           setup::PlannedTraffic& planned) {
  const std::string name =
      factor == 1 ? training : fmt::format("{}, {} {:g} times slower", training, slow, factor);
  const std::string text =
      fmt::format(fmt::runtime(kTraining), fmt::arg("name", name), fmt::arg("cache", cache_of(lookahead)),
                  fmt::arg("faults", fault_of(slow, factor)));
  const setup::Setup setup = setup::parse_setup(text, "study.yaml", {}, setup::Needs::workload, &planned);
  const simulation::Limits limits{.until = {},
                                  .go_on = [](Time, std::uint32_t) { return !Interrupt::requested(); }};
  const simulation::SimulationResult result = simulation::simulate(setup.simulation, {}, limits);
  const double iteration = to_us(result.finished) / setup.simulation.passes;
  return {.training = training,
          .slow = slow,
          .factor = factor,
          .iteration_us = iteration,
          .cell = {.name = name,
                   .command = "overture simulate setup.yaml",
                   .setup = text,
                   .numbers = {{"iteration_us", iteration}}}};
}

// ---- networks with a share of their cables down

constexpr int kDraws = 3;

std::string network_of(const std::string& network, double share, int draw) {
  const std::string shape = network == "fat tree, NDP"
                                ? "  topology: {fat_tree: {k: 8}}\n  transport: ndp\n  paths: spray\n"
                                : "  topology: {opera: {tors: 16, ports: 16}}\n  rotor: {bulk_from: 0 B}\n";
  const std::string faults =
      share == 0 ? "" : fmt::format("faults: {{seed: {}, links: [{{share: {:g}}}]}}\n", draw + 1, share);
  return fmt::format(
      "name: {}, {:g} % of the cables down\nnetwork:\n{}traffic: {{pattern: all_to_all, size: 36 kB}}\n{}",
      network, 100 * share, shape, faults);
}

failures::NetworkRun run_network(const std::string& network, double share) {
  failures::NetworkRun all{.network = network, .share = share, .draws = share == 0 ? 1 : kDraws};
  int whole = 0;
  network::RunLimits limits;
  limits.go_on = [](const network::RunSoFar&) { return !Interrupt::requested(); };
  for (int draw = 0; draw < all.draws && !Interrupt::requested(); ++draw) {
    const std::string text = network_of(network, share, draw);
    const setup::Setup setup = setup::parse_setup(text, "study.yaml", {}, setup::Needs::network);
    const network::NetworkConfig config = setup::network_config(setup);
    const auto flows = setup::make_traffic(setup, network::count_hosts(config));
    const network::FlowsResult result = network::run_flows(config, flows, limits);
    all.unfinished += 1 - static_cast<double>(result.finished) / static_cast<double>(flows.size());
    if (result.finished == flows.size()) {
      all.makespan_us += to_us(result.makespan);
      ++whole;
    }
    if (draw == 0) all.cell = {.name = setup.name, .command = "overture flows setup.yaml", .setup = text};
  }
  all.unfinished /= all.draws;
  if (whole > 0) all.makespan_us /= whole;
  all.cell.numbers = {{"makespan_us", all.makespan_us}, {"unfinished", all.unfinished}};
  return all;
}

// ---- the study

std::vector<double> scales_of(const std::string& list) {
  std::vector<double> numbers;
  for (const std::string& word : words_of(list)) {
    const auto number = parse_number<double>(word);
    if (!number || !(*number >= 2 && *number <= 1e7))
      throw UserError({.key = "--nodes"}, fmt::format("\"{}\" is not a number from 2 to 10000000", word),
                      "write 128,1024,8192");
    numbers.push_back(*number);
  }
  if (numbers.empty()) throw UserError({.key = "--nodes"}, "is empty", "write 128,1024,8192");
  std::ranges::sort(numbers);
  return numbers;
}

void require_positive(float value, const char* key) {
  if (!(value > 0) || value > 1e9F)
    throw UserError({.key = key}, fmt::format("{} is not above 0 and at most 1e9", value));
}

void require_sound(const FailuresOptions& options) {
  for (const auto& [value, key] :
       {std::pair{options.node_mtbf, "--node-mtbf-hours"}, std::pair{options.link_mtbf, "--link-mtbf-hours"},
        std::pair{options.switch_mtbf, "--switch-mtbf-hours"}, std::pair{options.write, "--write-seconds"},
        std::pair{options.days, "--days"}})
    require_positive(value, key);
  for (const auto& [value, key] :
       {std::pair{options.read, "--read-seconds"}, std::pair{options.restart, "--restart-seconds"}}) {
    if (!(value >= 0 && value <= 1e9F))
      throw UserError({.key = key}, fmt::format("{} is not from 0 to 1e9", value));
  }
  if (!(options.shape >= 0.2F && options.shape <= 5))
    throw UserError({.key = "--shape"}, fmt::format("{} is not from 0.2 to 5", options.shape),
                    "1 is exponential");
  if (options.runs < 1 || options.runs > 1'000'000)
    throw UserError({.key = "--runs"}, fmt::format("{} is not from 1 to 1000000", options.runs));
  for (const std::string& part : words_of(options.parts)) {
    if (std::ranges::find(kParts, part) == std::end(kParts))
      throw UserError({.key = "--parts"}, fmt::format("unknown part \"{}\"", part),
                      suggest(part, {std::begin(kParts), std::end(kParts)}));
  }
}

failures::Reliability reliability_of(const FailuresOptions& options) {
  constexpr double kHour = 3600;
  return {.node_mtbf = options.node_mtbf * kHour,
          .link_mtbf = options.link_mtbf * kHour,
          .switch_mtbf = options.switch_mtbf * kHour,
          .shape = options.shape};
}

// Every failure is drawn: what fails all the time would take for ever.
void require_countable(const FailuresOptions& options) {
  constexpr double kMost = 1e6;
  for (const double nodes : scales_of(options.nodes)) {
    const double mtbf = failures::system_mtbf(failures::fat_tree_parts(nodes), reliability_of(options));
    const double count = options.days * 86'400 / mtbf;
    if (count > kMost)
      throw UserError({.key = "--days"},
                      fmt::format("{:g} nodes fail {:.2g} times in {:g} days, and at most a million failures "
                                  "can be simulated",
                                  nodes, count, options.days),
                      "simulate fewer days, or look for a time between failures in a wrong unit");
  }
}

std::optional<std::filesystem::path> checkpoint_of(const FailuresOptions& options) {
  if (options.from.empty()) return std::nullopt;
  const auto checkpoint = train::latest_checkpoint(std::filesystem::path(options.from) / "checkpoints");
  if (!checkpoint)
    throw UserError({.file = options.from, .key = "--from"}, "holds no checkpoint",
                    "name a results folder of `overture train`, or give --write-seconds and --read-seconds");
  return checkpoint;
}

// Reads the last checkpoint of a real run, as a restart would, and writes it once more, as the trainer does:
// these are the times on this machine's disk.
void measure_checkpoint(const std::filesystem::path& checkpoint, FailuresOptions& options) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path(options.output.folder) / "checkpoint-copy";
  report::make_results_folder(copy);
  std::chrono::duration<float> reading{};
  std::chrono::duration<float> writing{};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(checkpoint)) {
    if (!entry.is_regular_file()) continue;
    const auto began = std::chrono::steady_clock::now();
    const std::string text = read_file(entry.path());
    const auto read = std::chrono::steady_clock::now();
    write_file(copy / entry.path().filename(), text);
    reading += read - began;
    writing += std::chrono::steady_clock::now() - read;
  }
  fs::remove_all(copy);
  options.read = std::max(reading.count(), 1e-6F);
  options.write = std::max(writing.count(), 1e-6F);
  fmt::print("The checkpoint of {} takes {:.3g} s to write and {:.3g} s to read.\n\n",
             printable(options.from), options.write, options.read);
}

std::string asked_text(const FailuresOptions& o) {
  return fmt::format(
      "study: failures\nnodes: [{}]\nnode_mtbf_hours: {}\nlink_mtbf_hours: {}\nswitch_mtbf_hours: {}\nshape: "
      "{}\n"
      "write_seconds: {}\nread_seconds: {}\nrestart_seconds: {}\ndays: {}\nruns: {}\nparts: [{}]\n",
      o.nodes, o.node_mtbf, o.link_mtbf, o.switch_mtbf, o.shape, o.write, o.read, o.restart, o.days, o.runs,
      o.parts);
}

bool wants(const FailuresOptions& options, const char* part) {
  return std::ranges::count(words_of(options.parts), part) > 0;
}

// Every part of the study as a list of jobs, so that progress is told and Ctrl-C obeyed between them.
using Jobs = std::vector<std::function<void()>>;

// A job whose result is kept unless Ctrl-C came meanwhile: then it may be cut short.
template <class Result, class Make>
void add_job(std::vector<Result>& results, Jobs& jobs, Make make) {
  jobs.emplace_back([&results, make] {
    Result result = make();
    if (!Interrupt::requested()) results.push_back(std::move(result));
  });
}

void add_goodput(const FailuresOptions& options, failures::Results& results, Jobs& jobs) {
  for (const double nodes : scales_of(options.nodes))
    add_job(results.scales, jobs, [&results, nodes] { return failures::run_scale(nodes, results); });
  for (const double share : failures::kRegimes)
    add_job(results.regimes, jobs, [&results, share] { return failures::run_regime(share, results); });
}

void add_slow(failures::Results& results, Jobs& jobs, setup::PlannedTraffic& planned) {
  for (const auto& [training, lookahead] : {std::pair{"synchronous", 0}, std::pair{"cache, 1 batch ahead", 1},
                                            std::pair{"cache, 8 batches ahead", 8}}) {
    for (const auto& [slow, factor] :
         {std::pair{"computing", 1.0}, std::pair{"computing", 1.5}, std::pair{"computing", 2.0},
          std::pair{"computing", 4.0}, std::pair{"cable", 1.5}, std::pair{"cable", 2.0},
          std::pair{"cable", 4.0}})
      add_job(results.slow, jobs, [&planned, training, lookahead, slow, factor] {
        return run_slow(training, lookahead, slow, factor, planned);
      });
  }
}

void add_networks(failures::Results& results, Jobs& jobs) {
  for (const char* network : {"fat tree, NDP", "Opera, RotorLB"}) {
    for (const double share : {0.0, 0.02, 0.05, 0.1, 0.2})
      add_job(results.networks, jobs, [network, share] { return run_network(network, share); });
  }
}

void add_connectivity(failures::Results& results, Jobs& jobs) {
  constexpr int kConnectivityDraws = 20;
  const auto opera = std::make_shared<topology::Opera>(failures::published_opera());
  for (const auto& [part, share] : failures::connectivity_points())
    add_job(results.connectivity, jobs, [opera, part = part, share = share] {
      return failures::connectivity(*opera, part, share, kConnectivityDraws);
    });
}

void run_jobs(const Jobs& jobs, const FailuresOptions& options) {
  RunProgress progress({.folder = options.output.folder,
                        .kind = "study failures",
                        .name = "failures",
                        .what = "parts",
                        .total = static_cast<std::int64_t>(jobs.size())});
  for (std::size_t i = 0; i < jobs.size() && !Interrupt::requested(); ++i) {
    jobs[i]();
    progress.update(static_cast<std::int64_t>(i + 1));
  }
  progress.finish();
}

void print_results(const failures::Results& results) {
  const auto section = [](const char* title, const std::string& text) {
    fmt::print("{}\n\n{}\n", title, text);
  };
  if (!results.scales.empty())
    section("Goodput at the best checkpoint interval", failures::scales_text(results));
  if (!results.regimes.empty())
    section("Where the formulas hold (C: to write a checkpoint, M: MTBF of the machine)",
            failures::regimes_text(results));
  if (!results.slow.empty()) section("One slow node of 16", failures::slow_text(results));
  if (!results.networks.empty())
    section("All-to-all on 128 hosts with cables down", failures::networks_text(results));
  if (!results.connectivity.empty())
    section("Pairs of ToRs of Opera (108 ToRs, 12 ports) without a path",
            failures::connectivity_text(results.connectivity));
}

Json found_numbers(const failures::Results& results, Digest& digest) {
  Json scales = Json::array();
  for (const failures::Scale& scale : results.scales) {
    scales.push_back({{"nodes", scale.parts.nodes},
                      {"mtbf_hours", scale.mtbf / 3600},
                      {"best_interval_s", scale.best.interval},
                      {"young_interval_s", scale.young},
                      {"daly_interval_s", scale.daly},
                      {"useful", scale.best.useful}});
    digest.add_bits(scale.best.useful);
  }
  for (const failures::SlowRun& run : results.slow) digest.add_bits(run.iteration_us);
  for (const failures::NetworkRun& run : results.networks) digest.add_bits(run.makespan_us);
  for (const failures::Connectivity& one : results.connectivity) digest.add_bits(one.mean_hops);
  Json all{{"scales", scales}};
  if (!results.regimes.empty())
    all.update({{"young_holds_up_to", failures::holds_up_to(results.regimes, &failures::Regime::young)},
                {"daly_holds_up_to", failures::holds_up_to(results.regimes, &failures::Regime::daly)}});
  return all;
}

int run_study(FailuresOptions options) {
  const Interrupt interrupt;
  require_sound(options);
  if (wants(options, "goodput")) require_countable(options);
  const auto checkpoint = checkpoint_of(options);
  claim(options.output, options.output.folder, "study failures");
  if (checkpoint) measure_checkpoint(*checkpoint, options);
  failures::Results results{
      .reliability = reliability_of(options),
      .checkpoints = {.write = options.write, .read = options.read, .restart = options.restart},
      .runs = {.days = options.days, .runs = options.runs, .stopped = Interrupt::requested}};
  setup::PlannedTraffic planned;
  Jobs jobs;
  if (wants(options, "goodput")) add_goodput(options, results, jobs);
  if (wants(options, "slow")) add_slow(results, jobs, planned);
  if (wants(options, "networks")) add_networks(results, jobs);
  if (wants(options, "connectivity")) add_connectivity(results, jobs);
  run_jobs(jobs, options);
  if (Interrupt::requested() && results.empty()) return kInterrupted;
  const std::string asked = asked_text(options);
  const study::StudyReport report = failures::make_report(results);
  Digest digest;
  const Json found = found_numbers(results, digest);
  write_study(report, found, digest, asked, options.output);
  print_results(results);
  if (!report.claims.empty())
    fmt::print("{}\n{}\n", study::scoreboard(report.claims), study::score(report.claims));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "a CSV and a figure per result");
  return exit_code(true);
}

}  // namespace

void add_failures(Command& study) {
  auto options = std::make_shared<FailuresOptions>();
  Command command =
      study.add("failures", "Training through failures: checkpoints, slow nodes, broken cables");
  add_output(command, options->output);
  command.option("--parts LIST", options->parts, "goodput, slow, networks and connectivity, or some of them")
      .option("--nodes LIST", options->nodes, "Numbers of nodes on a fat tree")
      .option("--node-mtbf-hours", options->node_mtbf, "Mean time between failures of one node")
      .option("--link-mtbf-hours", options->link_mtbf,
              "Mean time between failures of one cable; a node has three")
      .option("--switch-mtbf-hours", options->switch_mtbf, "Mean time between failures of one switch")
      .option("--shape", options->shape, "Weibull shape of the time between failures; 1: exponential")
      .option("--write-seconds", options->write, "Time to write a checkpoint; training waits")
      .option("--read-seconds", options->read, "Time to read a checkpoint after a restart")
      .option("--restart-seconds", options->restart, "Time from a failure until a checkpoint is read")
      .option("--from FOLDER", options->from,
              "Results folder of `overture train`; we measure how long its checkpoint takes")
      .option("--days", options->days, "Length of a simulated training run")
      .option("--runs", options->runs, "Runs per interval; means are over all of them")
      .examples(
          "  overture study failures\n"
          "  overture study failures --parts goodput --nodes 2048 --write-seconds 20\n"
          "  overture study failures --parts goodput --shape 0.7\n"
          "  overture study failures --parts networks -o results/broken-cables")
      .runs([options] { return run_study(*options); });
}

}  // namespace overture::cli
