#include <filesystem>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/task_graphs.h"
#include "overture/cli/version.h"
#include "overture/network/make_network.h"
#include "overture/report/html.h"
#include "overture/report/rotor_summary.h"
#include "overture/report/task_folder.h"
#include "overture/setup/setup.h"
#include "overture/simulation/play.h"

namespace overture::cli {
namespace {

using simulation::Timeline;
using workload::TaskGraph;

struct ReplayOptions {
  std::string graph;
  std::string setup;
  std::vector<std::string> overrides;
  std::string all_reduce = "ring";
  std::string between_gpus = "200 Gbps";
  std::string backend;
  std::string out;
  bool json = false;
  bool no_report = false;
};

void require_room(const TaskGraph& graph, int hosts, const ReplayOptions& options) {
  if (graph.ranks() <= hosts) return;
  throw UserError({.file = options.setup, .key = "network"},
                  fmt::format("has {} hosts; {} has {} nodes", hosts, options.graph, graph.ranks()),
                  "choose a larger network");
}

// What a run leaves: when every task ran, what was sent, and what the links carried.
struct Played {
  Timeline run;
  simulation::TrafficCounter traffic;
  report::LinksRecord links;
};

system::SystemConfig all_reduce_by(system::AlgorithmKind algorithm) {
  system::SystemConfig config{.endpoint_delay = Duration{}, .active_chunks = std::numeric_limits<int>::max()};
  config.implementation(system::CollectiveKind::all_reduce) = {.per_dimension = {{algorithm}}, .flat = true};
  return config;
}

Played play_on(network::Network& network, const TaskGraph& graph, const setup::Setup& setup,
               const ReplayOptions& options, sim::EventQueue& events) {
  const bool watched = setup.monitor.samples > 0;
  if (watched) network.watch(setup.monitor);
  Played played{.run = {}, .traffic = simulation::TrafficCounter(graph), .links = {}};
  played.traffic.watch(network);
  const auto algorithm = parse_all_reduce(options.all_reduce, "--all-reduce");
  played.run = simulation::play(graph, all_reduce_by(algorithm), network, events);
  if (watched) played.links = report::links_record(network.record(), played.run.finished);
  return played;
}

Played play(const TaskGraph& graph, const setup::Setup& setup, const ReplayOptions& options) {
  sim::EventQueue events;
  const auto network = network::make_network(setup::network_config(setup), events);
  require_room(graph, network->ranks(), options);
  return play_on(*network, graph, setup, options, events);
}

// --backend is short for a key of the setup.
setup::Setup load(const ReplayOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.backend.empty()) overrides.push_back("network.backend=" + options.backend);
  return setup::load_setup(options.setup, overrides, setup::Needs::network);
}

void print_summary(const TaskGraph& graph, const Timeline& run, const simulation::TrafficCounter& traffic) {
  const double exposed = to_us(run.exposed()) / to_us(run.finished);
  Table table({"", "value"});
  table.add({"iteration", to_string(run.finished)});
  table.add(
      {"not computing, busiest node", fmt::format("{} ({:.1f} %)", to_string(run.exposed()), 100 * exposed)});
  table.add({"messages between nodes", to_string(traffic.messages())});
  table.add({"all-reduces", to_string(traffic.collectives())});
  fmt::print("{} nodes, {} tasks\n\n{}\n", graph.ranks(), graph.size(), table.text());
}

int run(const ReplayOptions& options) {
  const Result<Bandwidth> between = parse_bandwidth(options.between_gpus);
  if (!between) throw UserError({.key = "--between-gpus"}, between.error());
  parse_all_reduce(options.all_reduce, "--all-reduce");
  const setup::Setup setup = load(options);
  const TaskGraph graph = read_task_graph(options.graph, between.value());
  const auto [result, traffic, links] = play(graph, setup, options);
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("results") / std::filesystem::path(options.graph).stem()
                          : std::filesystem::path(options.out);
  const report::TaskReplay replay{.name = std::filesystem::path(options.graph).stem().string(),
                                  .setup_yaml = setup::write_setup(setup),
                                  .version = version_text(),
                                  .seed = setup.seed,
                                  .graph = graph,
                                  .run = result,
                                  .traffic = traffic,
                                  .links = links};
  report::write_task_folder(replay, folder);
  const network::NetworkConfig network = setup::network_config(setup);
  if (const auto* rotors = std::get_if<network::RotorNetworkConfig>(&network))
    write_file(folder / "schedule.csv", report::schedule_csv(make_opera(rotors->topology)));
  if (!options.no_report) report::write_html(folder);
  if (options.json) {
    fmt::print("{}", report::task_summary_json(replay));
    return 0;
  }
  print_summary(graph, result, traffic);
  fmt::print("why: {}\n", wrap(report::task_why(replay), 80, 5));
  fmt::print("results: {}\n", folder.string());
  if (!options.no_report) fmt::print("report: {}\n", (folder / "report.html").string());
  return 0;
}

}  // namespace

void add_replay(Command& root) {
  auto options = std::make_shared<ReplayOptions>();
  Command command = root.add("replay", "Play a FlexFlow task graph (.tg) on any network");
  command.positional("graph", options->graph, "Task graph; `overture generate tasks` makes one")
      .positional("setup", options->setup, "Setup file (YAML); only its network matters")
      .option("-s,--set", options->overrides, "key=value: change one key of the setup; may be repeated")
      .option("--all-reduce", options->all_reduce, "ring, dps or ps; the file does not say")
      .option("--between-gpus", options->between_gpus, "Bandwidth inside a node, for what is reduced there")
      .option("--backend", options->backend, "Instead of network.backend: flow, packet, rotor or analytical")
      .option("-o,--out", options->out, "Folder for the results (default: results/<graph name>)")
      .flag("--json", options->json, "Print summary.json instead of a table")
      .flag("--no-report", options->no_report, "Do not make report.html")
      .examples(
          "  overture generate tasks --model I --nodes 16 -o step.tg\n"
          "  overture replay step.tg fat-tree.yaml --backend flow\n"
          "  overture replay step.tg opera.yaml --all-reduce dps -o results/on-opera")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
