#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/version.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/study_results.h"
#include "overture/cli/watched_sweep.h"
#include "overture/report/html.h"
#include "overture/study/hoti_dlrm/report.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
namespace hoti = study::hoti;

struct HotiOptions {
  std::string systems;
  std::string axes;
  std::string backend = "packet";
  std::vector<std::string> keys;
  Output output{.folder = "results/hoti-dlrm"};
  int gpus = 128;
  int jobs = 0;
  bool list = false;
};

hoti::Choice choice_of(const HotiOptions& options) {
  hoti::Choice choice{.axes = words_of(options.axes), .gpus = options.gpus, .backend = options.backend};
  choice.keys = options.keys;
  for (const std::string& word : words_of(options.systems))
    choice.systems.push_back(hoti::system_named(word).name);
  return choice;
}

std::string asked(const HotiOptions& options) {
  std::string text = fmt::format("study: hoti-dlrm\nsystems: [{}]\naxes: [{}]\nbackend: {}\ngpus: {}\n",
                                 options.systems, options.axes, options.backend, options.gpus);
  if (!options.keys.empty()) text += "set:\n";
  for (const std::string& key : options.keys) text += fmt::format("  - \"{}\"\n", key);
  return text;
}

int print_list(const std::vector<hoti::Cell>& cells) {
  for (const hoti::Cell& cell : cells) fmt::print("{}\n  {}\n", hoti::name(cell), hoti::command_of(cell));
  fmt::print("{} cells\n", cells.size());
  return 0;
}

// The page of every cell, from its folder; those of an earlier run are kept.
void write_pages(const hoti::Results& results, const fs::path& root) {
  for (const hoti::CellResult& result : results.all()) {
    if (!fs::exists(root / result.folder / "report.html")) report::write_html(root / result.folder);
  }
}

void write(const HotiOptions& options, const hoti::Results& results, const study::StudyReport& report,
           std::size_t wanted) {
  Digest digest;
  Json times = Json::object();
  for (const hoti::CellResult& result : results.all()) {
    digest.add_bits(result.finished_us);
    times[hoti::name(result.cell)] = result.iteration_us() / 1e3;
  }
  const Json numbers{{"backend", options.backend},
                     {"gpus", options.gpus},
                     {"cells", wanted},
                     {"finished", results.all().size()},
                     {"iteration_ms", times}};
  write_study(report, numbers, digest, asked(options), options.output);
}

int run_study(const HotiOptions& options) {
  const int jobs = parallel_jobs(options.jobs);
  const std::vector<hoti::Cell> cells = hoti::cells_of(choice_of(options));
  if (options.list) return print_list(cells);
  // Another choice of systems and axes goes on in the same folder.
  const fs::path folder = fs::absolute(options.output.folder);
  claim(options.output, options.output.folder, "study hoti-dlrm");
  study::SweepJob job = hoti::cell_job(cells, fs::read_symlink("/proc/self/exe"), version_text(), folder);
  job.jobs = jobs;
  const int code = run_watched("study hoti-dlrm", options.output.folder, job, points_of({}, cells.size()));
  const hoti::Results results = hoti::finished_cells(cells, job, folder);
  if (results.all().empty()) return code;
  if (!options.output.no_report) write_pages(results, folder);
  const study::StudyReport report = hoti::make_report(results, options.gpus);
  write(options, results, report, cells.size());
  fmt::print("hoti-dlrm: {} of {} cells, {} GPUs, {} backend\n\n", results.all().size(), cells.size(),
             options.gpus, options.backend);
  for (const hoti::Section& section : hoti::sections(results))
    fmt::print("{}\n{}\n", section.title, section.text);
  fmt::print("{}\n{}\n", study::scoreboard(report.claims), study::score(report.claims));
  print_why(report.headline);
  print_where(options.output.folder, options.output, "a CSV and a figure per result, scoreboard.csv, cells");
  return code;
}

std::string axis_names() {
  std::vector<std::string> names;
  for (const hoti::Axis& axis : hoti::axes()) names.push_back(axis.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_hoti_dlrm(Command& study) {
  auto options = std::make_shared<HotiOptions>();
  Command command = study.add("hoti-dlrm", "DLRM on 128 GPUs over TCP, flat and hierarchical (HOTI 2020)");
  add_output(command, options->output);
  command
      .option("--systems LIST", options->systems,
              "Flat100G,Flat800G,Hier,HierOpt or some of them (default: all)")
      .option("--axes LIST", options->axes,
              axis_names() + "; none: run the systems as they are (default: all)")
      .option("--backend NAME", options->backend,
              "packet: up to a minute of CPU per cell; flow: traffic as a fluid")
      .option("--gpus", options->gpus, "Number of GPUs: a power of two, at least 16")
      .option("-s,--set KEY=VALUE", options->keys, "Change one key of every cell's setup; may be repeated")
      .flag("--list", options->list, "Print the cells and the command of each, and run nothing")
      .option("-j,--jobs", options->jobs, "Number of cells at the same time; 0: one per core")
      .examples(
          "  overture study hoti-dlrm --axes none\n"
          "  overture study hoti-dlrm --systems Flat100G,Hier --axes injection,buffer\n"
          "  overture study hoti-dlrm --gpus 16 --backend flow\n"
          "  overture study hoti-dlrm -j 2")
      .runs([options] { return run_study(*options); });
}

}  // namespace overture::cli
