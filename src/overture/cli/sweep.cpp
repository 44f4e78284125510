#include "overture/study/sweep.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/folder_hold.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/printable.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/cli/sweep_effects.h"
#include "overture/cli/sweep_table.h"
#include "overture/cli/watched_sweep.h"
#include "overture/report/csv_grid.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/setup/sweep_setup.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string setup;
  std::vector<std::string> overrides;
  Output output;
  std::vector<std::string> under;
  std::string part = "1/1";
  int jobs = 0;
};

study::SweepJob make_job(const SweepOptions& options, const setup::SweepSetup& sweep,
                         const fs::path& folder) {
  const fs::path setup = fs::path(sweep.file).parent_path() / sweep.setup;
  const std::string text = read_file(setup);
  study::SweepJob job{
      .program = fs::read_symlink("/proc/self/exe"), .command = sweep.command, .setup = setup};
  job.jobs = parallel_jobs(options.jobs);
  for (const auto& overrides : setup::sweep_points(sweep)) {
    job.points.push_back({.overrides = overrides,
                          .folder = study::point_folder(folder / "points", job.points.size() + 1,
                                                        sweep.command, text, overrides)});
  }
  return job;
}

std::vector<SweepRow> gather(const setup::SweepSetup& sweep, const study::SweepJob& job,
                             const fs::path& folder) {
  std::vector<SweepRow> rows;
  for (const study::SweepPoint& point : job.points) {
    if (!study::is_finished(point)) continue;
    SweepRow row{.numbers = study::numbers_of(point),
                 .folder = fs::relative(point.folder, folder).generic_string()};
    for (std::size_t i = sweep.fixed.size(); i < point.overrides.size(); ++i) {
      row.values.push_back(point.overrides[i].substr(point.overrides[i].find('=') + 1));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The one of the setup or of the command; a run of training without held-out samples has its loss.
std::string metric_of(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows) {
  const std::string wanted = sweep.metric.empty() ? setup::main_number(sweep.command) : sweep.metric;
  if (rows.empty() || rows[0].find(wanted) != nullptr) return wanted;
  if (sweep.metric.empty() && sweep.command == "train") return "loss";
  std::vector<std::string> known;
  for (const auto& [name, number] : rows[0].numbers) known.push_back(name);
  throw UserError({.file = sweep.file, .key = "metric"},
                  fmt::format("no number \"{}\" in these results", wanted), suggest(wanted, known));
}

Json summary_of(const setup::SweepSetup& sweep, const study::SweepJob& job, const std::vector<SweepRow>& rows,
                const std::string& metric) {
  const auto axes = sweep_effects(sweep, rows, metric);
  auto summary = report::summary_head({.kind = "sweep", .name = sweep.name, .why = sweep_why(axes, metric)});
  summary.update({{"command", sweep.command},
                  {"points", job.points.size()},
                  {"finished", rows.size()},
                  {"complete", rows.size() == job.points.size()},
                  {"metric", metric},
                  {"more_is_better", setup::more_is_better(metric)},
                  {"axes", axes}});
  return summary;
}

Digest digest_of(const std::vector<SweepRow>& rows, const std::string& metric) {
  Digest digest;
  for (const SweepRow& row : rows) {
    if (const double* number = row.find(metric)) digest.add_bits(*number);
  }
  return digest;
}

// The page of a sweep leads to those of its points. Of large sweeps, `overture report` makes the ones wanted.
void write_point_pages(const study::SweepJob& job) {
  constexpr std::size_t kMostPages = 64;
  if (job.points.size() > kMostPages) return;
  for (const study::SweepPoint& point : job.points) {
    if (study::is_finished(point) && !fs::exists(point.folder / "report.html"))
      report::write_html(point.folder);
  }
}

// The study as it was run: its file, and what the command line changed.
std::string setup_yaml_of(const SweepOptions& options) {
  std::string changes;
  for (const std::string& change : options.overrides) changes += fmt::format("# -s {}\n", change);
  return changes + read_file(options.setup);
}

// Parts of a sweep share its folder, but the same part is run once at a time.
void claim_part(const SweepOptions& options, const fs::path& folder) {
  if (options.part == "1/1") return claim(options.output, folder, "sweep", setup_yaml_of(options));
  std::string name = ".part-" + options.part;
  std::ranges::replace(name, '/', '-');
  report::make_results_folder(folder / name);
  hold_folder(folder / name);
  hold_folder(folder, FolderUse::shared);
  claim(options.output, folder, "sweep", setup_yaml_of(options));
}

int run(const SweepOptions& options) {
  const setup::SweepSetup sweep = setup::load_sweep_setup(options.setup, options.overrides);
  const fs::path folder = options.output.folder_or(fs::path("results") / fs::path(options.setup).stem());
  setup::check_points(sweep);
  const std::vector<SweepBound> bounds = parse_bounds(options.under, sweep.command);
  claim_part(options, folder);
  const study::SweepJob job = make_job(options, sweep, folder);
  const int code = run_watched("sweep", folder, job, points_of(parse_part(options.part), job.points.size()));
  const std::vector<SweepRow> rows = gather(sweep, job, folder);
  if (rows.empty()) return code;
  const std::string metric = metric_of(sweep, rows);
  write_file(folder / "sweep.csv", sweep_csv(sweep, rows));
  if (!options.output.no_report) write_point_pages(job);
  const Json summary = summary_of(sweep, job, rows, metric);
  finish_run(options.output, summary, digest_of(rows, metric), setup_yaml_of(options), folder);
  fmt::print("{}: {} of {} points, {}\n\n", printable(sweep.name), rows.size(), job.points.size(),
             sweep.command);
  fmt::print("{}\n", sweep_table(sweep, rows, metric, bounds));
  print_why(summary.value("why", ""));
  print_where(folder, options.output);
  return code;
}

}  // namespace

void add_sweep(Command& root) {
  auto options = std::make_shared<SweepOptions>();
  Command command = root.add("sweep", "Run a setup with many values of its keys, several at a time");
  add_output(command, options->output, "results/<study name>");
  command.positional("study", options->setup, "What varies (YAML); see docs/reference/sweep.md")
      .option("-s,--set KEY=VALUE", options->overrides, "Change one key of the study; may be repeated")
      .option("-j,--jobs", options->jobs, "Number of runs at the same time; 0: one per core")
      .option("--under LIMIT", options->under,
              "Show only points within this limit, such as \"cost 20000 $\"; may be repeated")
      .option("--part PART", options->part,
              "Run only one part: 2/8 is the second of eight, as for a Slurm array")
      .examples(
          "  overture sweep bandwidth.yaml\n"
          "  overture sweep bandwidth.yaml --jobs 8 -o results/bandwidth\n"
          "  overture sweep bandwidth.yaml --under \"cost 20000 $\"\n"
          "  overture sweep bandwidth.yaml --part $SLURM_ARRAY_TASK_ID/16")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
