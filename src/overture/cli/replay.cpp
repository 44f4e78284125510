#include <filesystem>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/simulated_run.h"

namespace overture::cli {
namespace {

using system::AlgorithmKind;

struct ReplayOptions {
  std::string graph;
  std::string setup;
  std::vector<std::string> overrides;
  std::string all_reduce = "ring";
  std::string between_gpus = "200 Gbps";
  std::string backend;
  SimulatedRunOptions run;
};

AlgorithmKind all_reduce_of(const std::string& word) {
  if (word == "ring") return system::kLockstepRing;
  if (word == "dps") return system::kDistributedParameterServer;
  if (word == "ps") return system::kParameterServer;
  throw UserError({.key = "--all-reduce"}, fmt::format("unknown all-reduce \"{}\"", word),
                  suggest(word, {"ring", "dps", "ps"}));
}

// As the Opera study plays its graphs: all collectives at once, in rounds.
system::SystemConfig all_reduce_by(AlgorithmKind algorithm) {
  system::SystemConfig config{.endpoint_delay = Duration{}, .active_chunks = std::numeric_limits<int>::max()};
  config.implementation(system::CollectiveKind::all_reduce) = {.per_dimension = {{algorithm}}, .flat = true};
  return config;
}

// The same as `simulate` with workload.tasks and these system keys.
setup::Setup load(const ReplayOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.backend.empty()) overrides.push_back("network.backend=" + options.backend);
  setup::Setup setup = setup::load_setup(options.setup, overrides, setup::Needs::network);
  setup.between_gpus = parsed(parse_bandwidth(options.between_gpus), "--between-gpus");
  setup.name = std::filesystem::path(options.graph).stem().string();
  setup.simulation.system = all_reduce_by(all_reduce_of(options.all_reduce));
  setup::take_tasks(setup, options.graph);
  return setup;
}

int run(const ReplayOptions& options) {
  SimulatedRunOptions run = options.run;
  run.out =
      run.output.folder_or(std::filesystem::path("results") / std::filesystem::path(options.graph).stem());
  return simulate_setup([&] { return load(options); }, run);
}

}  // namespace

void add_replay(Command& root) {
  auto options = std::make_shared<ReplayOptions>();
  Command command = root.add(
      "replay", "Play a FlexFlow task graph (.tg): simulate with workload.tasks, as the Opera study does");
  add_output(command, options->run.output, "results/<graph name>");
  add_limits(command, options->run);
  command.positional("graph", options->graph, "Task graph; `overture generate tasks` makes one")
      .positional("setup", options->setup, "Setup file (YAML); only its network matters")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--all-reduce KIND", options->all_reduce,
              "All-reduce, which the file does not name: ring, dps or ps")
      .option("--between-gpus RATE", options->between_gpus,
              "Bandwidth inside a node, for what is reduced there")
      .option("--backend NAME", options->backend,
              "Model in place of network.backend: flow, packet, rotor or analytical")
      .examples(
          "  overture generate tasks model-i.yaml -o step.tg\n"
          "  overture replay step.tg fat-tree.yaml --backend flow\n"
          "  overture replay step.tg opera.yaml --all-reduce dps -o results/on-opera")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
