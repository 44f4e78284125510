#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/cli/commands.h"
#include "overture/formats/flexflow/flexflow_graph.h"
#include "overture/setup/setup.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::cli {
namespace {

struct GenerateTasksOptions {
  std::string setup;
  std::vector<std::string> overrides;
  int nodes = 0;
  bool as_published = false;
  std::string out;
};

workload::DlrmStep step_on(const workload::DlrmTraining& training, int nodes, const std::string& setup) {
  try {
    return workload::dlrm_step(training, nodes);
  } catch (const UserError& error) {
    throw at({.file = setup}, error);
  }
}

workload::DlrmStep step_of(const GenerateTasksOptions& options) {
  const setup::Setup setup = setup::load_setup(options.setup, options.overrides, setup::Needs::network);
  if (!setup.dlrm)
    throw UserError({.file = options.setup, .key = "workload.dlrm"}, "is missing",
                    "examples/model-a.yaml has one");
  if (options.nodes < 0 || options.nodes == 1) throw UserError({.key = "--nodes"}, "at least 2");
  const int nodes = options.nodes > 0 ? options.nodes : network::count_hosts(setup.simulation.network);
  workload::DlrmStep step = step_on(setup::make_training(*setup.dlrm, options.setup), nodes, options.setup);
  if (!options.as_published) return step;
  if (!std::holds_alternative<model::DlrmCalibration>(step.compute.by))
    throw UserError({.key = "--as-published"}, "needs compute: a100", "the published tables are fitted");
  step.artefacts = workload::DlrmArtefacts::as_published();
  return step;
}

int run(const GenerateTasksOptions& options) {
  const workload::DlrmStep step = step_of(options);
  const workload::TaskGraph graph = dlrm_tasks(step);
  write_file(options.out, formats::to_flexflow(graph, step.gpus_per_node));
  fmt::print("{} tasks on {} nodes written to {}\n", graph.size(), graph.ranks(), options.out);
  return 0;
}

}  // namespace

void add_generate_tasks(Command& generate) {
  auto options = std::make_shared<GenerateTasksOptions>();
  Command command =
      generate.add("tasks", "One training step of a DLRM as a FlexFlow task graph (.tg), for `replay`");
  command.positional("setup", options->setup, "Setup with workload.dlrm; examples/model-a.yaml is one")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the setup; may be repeated")
      .option("--nodes N", options->nodes, "Number of nodes; 0: the hosts of the setup's network")
      .flag("--as-published", options->as_published, "With the artefacts of the Opera study's workload")
      .required_option("-o,--out FILE", options->out, "File to write")
      .examples(
          "  overture generate tasks model-i.yaml -o step.tg\n"
          "  overture generate tasks model-a.yaml --nodes 128 \\\n"
          "      -s workload.dlrm.tables.count=200 -o step.tg")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
