#include <filesystem>
#include <memory>

#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/simulated_run.h"

namespace overture::cli {
namespace {

struct SimulateOptions {
  std::string setup;
  std::vector<std::string> overrides;
  bool full = false;
  SimulatedRunOptions run;
};

int run(const SimulateOptions& options) {
  const auto load = [&] {
    setup::Setup setup = setup::load_setup(options.setup, options.overrides);
    if (options.full) setup.simulation.scope = system::Scope::all;
    return setup;
  };
  SimulatedRunOptions run = options.run;
  run.out =
      run.output.folder_or(std::filesystem::path("results") / std::filesystem::path(options.setup).stem());
  if (!options.full) run.overrides = options.overrides;
  return simulate_setup(load, run);
}

}  // namespace

void add_simulate(Command& root) {
  auto options = std::make_shared<SimulateOptions>();
  Command command = root.add("simulate", "Predict the iteration time of a training setup");
  add_output(command, options->run.output, "results/<setup name>");
  add_limits(command, options->run);
  command.positional("setup", options->setup, "Setup file (YAML); see docs/reference/setup.md")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .flag("--simulate-all-npus", options->full, "Simulate every NPU, even where all do the same")
      .flag("--no-why", options->run.no_why, "Do not try what would make the run faster")
      .flag("-q,--quiet", options->run.quiet, "Print nothing")
      .examples(
          "  overture simulate dlrm-torus.yaml\n"
          "  overture simulate dlrm-torus.yaml -s network.dimensions.0.size=8 \\\n"
          "    -o results/wider\n"
          "  overture simulate dlrm-fat-tree.yaml           (the same over TCP packets)\n"
          "  overture simulate dlrm-torus.yaml --json | jq .iteration_us")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
