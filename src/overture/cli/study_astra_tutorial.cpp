// overture study astra-tutorial: every cell is a simulation of the shipped example with a few keys changed,
// so `overture simulate` and `overture sweep` can do the same.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/interrupt.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/progress.h"
#include "overture/cli/study_results.h"
#include "overture/examples.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/report/run_folder.h"
#include "overture/setup/setup.h"
#include "overture/study/astra_tutorial/findings.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
namespace tutorial = study::astra_tutorial;

struct TutorialOptions {
  std::string shapes = "2x2x2,2x4x2,2x4x4,2x8x4,2x8x8";
  std::string drawn = "2x4x4";
  std::string compute_scales = "1,0.5,0.25,0.125";
  std::string setup;
  Output output{.folder = "results/astra-tutorial"};
};

double scale_of(const std::string& word) {
  char* end = nullptr;
  const double scale = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || *end != '\0' || !(scale > 0) || scale > 1e6)
    throw UserError({.key = "--compute-scales"}, fmt::format("\"{}\" is not a scale above 0", word),
                    "write 1,0.5,0.25");
  return scale;
}

tutorial::TutorialPlan plan_of(const TutorialOptions& options) {
  tutorial::TutorialPlan plan{
      .drawn = tutorial::parse_shape(options.drawn), .shapes = {}, .compute_scales = {}};
  for (const std::string& word : words_of(options.shapes)) plan.shapes.push_back(tutorial::parse_shape(word));
  for (const std::string& word : words_of(options.compute_scales))
    plan.compute_scales.push_back(scale_of(word));
  return plan;
}

// The shipped setup and its workload, beside the results; a user's own stays where it is.
fs::path base_setup(const TutorialOptions& options) {
  if (!options.setup.empty()) return options.setup;
  const fs::path folder = options.output.folder;
  report::make_results_folder(folder);
  write_file(folder / "resnet50.txt", examples::resnet50());
  write_file(folder / "resnet50-torus.yaml", examples::resnet50_torus());
  return folder / "resnet50-torus.yaml";
}

std::string command_of(const fs::path& base, const std::vector<std::string>& keys) {
  std::string text = "overture simulate " + base.string();
  for (const std::string& key : keys) text += " -s " + key;
  return text;
}

struct RunCell {
  tutorial::CellTimes times;
  study::StudyCell page;
};

RunCell run_tutorial_cell(const tutorial::TutorialCell& cell, const fs::path& base, const fs::path& folder) {
  const std::string name = tutorial::cell_name(cell);
  const std::vector<std::string> keys = tutorial::overrides(cell);
  const setup::Setup setup = setup::load_setup(base, keys);
  const report::ObservedRun observed = report::observe(setup.simulation, false);
  const report::Run run{.name = fmt::format("{}, {}", setup.name, name),
                        .setup_yaml = setup::write_setup(setup),
                        .config = setup.simulation,
                        .observed = observed,
                        .why = report::why(setup.simulation, observed.result),
                        .cost_dollars = setup::network_cost(setup).amount()};
  const fs::path at = fs::path("cells") / name;
  report::write_run_folder(run, folder / at);
  report::write_html(folder / at);
  RunCell done{
      .times = tutorial::times_of(cell, setup.simulation.workload, observed.result),
      .page = {
          .name = name, .folder = at.string(), .command = command_of(base, keys), .setup = run.setup_yaml}};
  done.page.numbers = {{"finished_us", done.times.finished},
                       {"compute_us", done.times.compute},
                       {"exposed_communication_us", done.times.exposed}};
  return done;
}

std::string asked(const TutorialOptions& options) {
  return fmt::format("study: astra-tutorial\nshapes: [{}]\ndrawn: {}\ncompute_scales: [{}]\nsetup: {}\n",
                     options.shapes, options.drawn, options.compute_scales,
                     options.setup.empty() ? "resnet50-torus.yaml" : options.setup);
}

void write_tutorial(const TutorialOptions& options, const study::StudyReport& report,
                    const std::vector<tutorial::CellTimes>& times) {
  Digest digest;
  Json finished = Json::object();
  for (const tutorial::CellTimes& run : times) {
    digest.add_bits(run.finished);
    finished[tutorial::cell_name(run.cell)] = run.finished;
  }
  write_study(report, {{"cells", times.size()}, {"finished_us", finished}}, digest, asked(options),
              options.output);
}

int run_tutorial(const TutorialOptions& options) {
  const Interrupt interrupt;
  const tutorial::TutorialPlan plan = plan_of(options);
  const auto cells = tutorial::cells_of(plan);
  claim(options.output, options.output.folder, "study astra-tutorial", asked(options));
  const fs::path base = base_setup(options);
  std::vector<tutorial::CellTimes> times;
  std::vector<study::StudyCell> pages;
  Progress progress("cells", static_cast<std::int64_t>(cells.size()));
  for (const tutorial::TutorialCell& cell : cells) {
    if (Interrupt::requested()) break;
    RunCell done = run_tutorial_cell(cell, base, options.output.folder);
    times.push_back(std::move(done.times));
    pages.push_back(std::move(done.page));
    progress.update(static_cast<std::int64_t>(times.size()));
  }
  study::StudyReport report = tutorial::tutorial_report(plan, times);
  report.cells = std::move(pages);
  write_tutorial(options, report, times);
  fmt::print("astra-tutorial: {} of {} cells, ResNet-50 on a 3-D torus\n\n{}\n{}\n", times.size(),
             cells.size(), tutorial::cells_table(times), study::scoreboard(report.claims));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "layers, nodes, figures, a folder per cell");
  return Interrupt::requested() ? kInterrupted : 0;
}

}  // namespace

void add_astra_tutorial(Command& study) {
  auto options = std::make_shared<TutorialOptions>();
  Command command =
      study.add("astra-tutorial", "ASTRA-sim's tutorial: ResNet-50 on a 3-D torus, layer by layer");
  add_output(command, options->output);
  command
      .option("--shapes LIST", options->shapes,
              "Nodes per dimension of every torus, the first inside a package")
      .option("--drawn SHAPE", options->drawn, "Shape that the figures of layers and of faster nodes show")
      .option("--compute-scales LIST", options->compute_scales,
              "Factors for compute times; 0.5: a node twice as fast")
      .option("--setup FILE", options->setup,
              "Your own setup with three dimensions (default: the shipped resnet50-torus.yaml)")
      .examples(
          "  overture study astra-tutorial\n"
          "  overture study astra-tutorial --shapes 2x4x4,4x4x4,4x8x8 -o results/wider\n"
          "  overture study astra-tutorial --drawn 4x4x4 --compute-scales 1,0.1")
      .runs([options] { return run_tutorial(*options); });
}

}  // namespace overture::cli
