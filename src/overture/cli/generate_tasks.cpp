#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/commands.h"
#include "overture/cli/task_graphs.h"
#include "overture/compute/csv.h"
#include "overture/model/published.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::cli {
namespace {

struct GenerateTasksOptions {
  std::string model = "A";
  std::string variant = "baseline";
  int nodes = 16;
  std::string tables;
  std::string batch;
  std::string calibration;
  bool as_published = false;
  std::string out;
};

model::PublishedVariant variant_of(const GenerateTasksOptions& options) {
  std::vector<std::string> known;
  for (const model::PublishedVariant& each : model::published_variants()) {
    if (each.model == options.model && each.variant == options.variant) return each;
    known.push_back(each.model + " " + each.variant);
  }
  const std::string asked = options.model + " " + options.variant;
  throw UserError(fmt::format("there is no model and variant \"{}\"", asked), suggest(asked, known));
}

std::int64_t batch_of(const GenerateTasksOptions& options, const model::PublishedVariant& variant) {
  if (options.batch.empty()) return variant.batch;
  return compute::whole_number(options.batch, {.key = "--batch"}, 1, std::int64_t{1} << 40);
}

int run(const GenerateTasksOptions& options) {
  if (options.nodes < 2) throw UserError({.key = "--nodes"}, "at least 2");
  const model::PublishedVariant variant = variant_of(options);
  model::DlrmShape shape = variant.shape();
  if (!options.tables.empty())
    shape.tables = static_cast<int>(compute::whole_number(options.tables, {.key = "--tables"}, 1, 1'000'000));
  workload::DlrmStep step{.model = model::make_dlrm(shape),
                          .batch = batch_of(options, variant),
                          .nodes = options.nodes,
                          .calibration = model::published_calibration(options.model)};
  if (!options.calibration.empty())
    step.calibration = model::read_calibration(options.calibration, step.calibration);
  if (options.as_published) step.artefacts = workload::DlrmArtefacts::as_published();
  const workload::TaskGraph graph = dlrm_tasks(step);
  write_task_graph(graph, step.gpus_per_node, options.out);
  fmt::print("{} tasks on {} nodes written to {}\n", graph.size(), graph.ranks(), options.out);
  return 0;
}

}  // namespace

void add_generate_tasks(Command& generate) {
  auto options = std::make_shared<GenerateTasksOptions>();
  Command command =
      generate.add("tasks", "One training step of a DLRM as a FlexFlow task graph (.tg), for `replay`");
  command.option("--model", options->model, "A or I, of the Opera study")
      .option("--variant", options->variant, "baseline, bs_1048576, bs_2097152, embdim_40 or embdim_93")
      .option("--nodes", options->nodes, "Of 8 GPUs each")
      .option("--tables", options->tables, "In place of the model's")
      .option("--batch", options->batch, "Of all nodes together, in place of the variant's")
      .option("--calibration", options->calibration,
              "CSV of name,value: how fast the GPUs are; docs/guides/calibrate.md")
      .flag("--as-published", options->as_published, "With the artefacts of the published workload")
      .required_option("-o,--out", options->out, "File to write")
      .examples(
          "  overture generate tasks --model I --nodes 16 -o step.tg\n"
          "  overture generate tasks --model A --nodes 128 --tables 200 -o step.tg")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
