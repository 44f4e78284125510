#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/report/html.h"
#include "overture/train/results.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string folder;
  bool iterations = false;
};

// The folder itself, or those in it that hold a training run.
std::vector<fs::path> training_runs(const fs::path& folder) {
  const auto is_run = [](const fs::path& path) { return fs::exists(path / "metrics.jsonl"); };
  if (is_run(folder)) return {folder};
  std::vector<fs::path> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_run(entry.path())) runs.push_back(entry.path());
  }
  if (runs.empty())
    throw UserError({.file = folder.string()}, "holds no training run",
                    "name the results folder of `overture train`, or a folder of several");
  std::ranges::sort(runs);
  return runs;
}

void print_iterations(const fs::path& folder) {
  Table table({"run", "iterations", "average ms", "deviation ms"});
  for (const fs::path& run : training_runs(folder)) {
    const train::IterationTimes times = train::iteration_times(run / "metrics.jsonl");
    const bool any = times.counted() > 0;
    table.add({run.string(), with_commas(times.counted()),
               any ? fmt::format("{:.3f}", 1e3 * times.mean()) : "",
               any ? fmt::format("{:.3f}", 1e3 * times.deviation()) : ""});
  }
  fmt::print("{}\nThe first {} iterations of a run fill the cache and are left out.\n", table.text(),
             train::IterationTimes::kWarmUp);
}

int write_report(const ReportOptions& options) {
  if (options.iterations) {
    print_iterations(options.folder);
    return 0;
  }
  report::write_html(options.folder);
  fmt::print("report: {}\n", (fs::path(options.folder) / "report.html").string());
  return 0;
}

}  // namespace

void add_report(Command& root) {
  auto options = std::make_shared<ReportOptions>();
  Command command =
      root.add("report", "Regenerate report.html of a results folder, or print its iteration times");
  command.positional("folder", options->folder, "Results folder of any command")
      .flag("--iterations", options->iterations,
            "Print average and standard deviation of the time per iteration of a training run, or of every "
            "run in the folder")
      .examples("  overture report results/dlrm-torus\n  overture report --iterations results/train")
      .runs([options] { return write_report(*options); });
}

}  // namespace overture::cli
