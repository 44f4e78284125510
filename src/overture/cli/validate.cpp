#include "overture/study/validate.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/version.h"
#include "overture/report/csv_grid.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

// tests/golden, from here upwards, or from the program's own place.
fs::path find_golden(const std::string& given) {
  if (!given.empty()) return given;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (fs::path start : {fs::current_path(), program.parent_path()}) {
    for (;; start = start.parent_path()) {
      if (fs::is_directory(start / "tests/golden")) return start / "tests/golden";
      if (start == start.root_path()) break;
    }
  }
  throw UserError({.key = "--golden"}, "the references are not here",
                  "run it inside Overture's sources, or name their tests/golden");
}

std::string csv(const std::vector<study::Check>& checks) {
  std::string text = "source,scenario,what,reference,ours,error_percent,allowed_percent,passes,cpu_seconds\n";
  for (const study::Check& check : checks) {
    text +=
        fmt::format("{},{},{},{},{},{:.6f},{},{},{:.4f}\n", check.source, report::csv_cell(check.scenario),
                    report::csv_cell(check.what), check.reference, check.ours, 100 * check.error(),
                    100 * check.allowed, check.passes() ? "yes" : "no", check.seconds);
  }
  return text;
}

struct ValidateOptions {
  std::string golden;
  std::string out;
  std::string results = "results/validate";
};

void write_results(const std::vector<study::Check>& checks, std::size_t failed, const fs::path& folder) {
  report::make_results_folder(folder);
  write_file(folder / "validation.csv", csv(checks));
  const auto worst = std::ranges::max_element(checks, {}, &study::Check::error);
  double seconds = 0;
  report::Digest digest;
  std::string setup = "references:\n";
  for (const study::Check& check : checks) {
    seconds += check.seconds;
    digest.add_bits(check.ours);
    if (setup.find(check.source) == std::string::npos) setup += fmt::format("  - {}\n", check.source);
  }
  auto summary = report::summary_head(
      {.kind = "validate",
       .name = "Against the references",
       .version = version_text(),
       .seed = {},
       .why = worst == checks.end()
                  ? "no reference was found"
                  : fmt::format("the farthest is {:.2f} % off: {}, {} of {}; {:.2f} % is allowed",
                                100 * worst->error(), worst->source, worst->what, worst->scenario,
                                100 * worst->allowed)});
  summary.update({{"checks", checks.size()}, {"failed", failed}, {"cpu_seconds", seconds}});
  report::write_summary(summary, digest, setup, folder);
  report::write_html(folder);
  fmt::print("why: {}\n", wrap(summary["why"].get<std::string>(), 80, 5));
  fmt::print("results: {}\nreport: {}\n", folder.string(), (folder / "report.html").string());
}

int run(const ValidateOptions& options) {
  const fs::path folder = find_golden(options.golden);
  std::vector<study::Check> checks;
  const auto note = [&](const study::Check& check) { checks.push_back(check); };
  study::validate_astra(folder, fs::read_symlink("/proc/self/exe"), note);
  study::validate_garnet(folder, fs::read_symlink("/proc/self/exe"), note);
  study::validate_ns3(folder, note);
  study::validate_htsim(folder, note);
  study::validate_opera(folder, note);
  study::validate_scale_sim(folder, note);
  study::validate_lookahead(folder, note);

  Table table({"from", "scenario", "what", "reference", "ours", "error", "CPU s"});
  std::size_t failed = 0;
  for (const study::Check& check : checks) {
    table.add({check.source, check.scenario.substr(0, 15), check.what, fmt::format("{:.6g}", check.reference),
               fmt::format("{:.6g}", check.ours),
               fmt::format("{:.3f} %{}", 100 * check.error(), check.passes() ? "" : " !"),
               fmt::format("{:.2f}", check.seconds)});
    failed += check.passes() ? 0 : 1;
  }
  fmt::print("{}\n{} of {} within what their references allow\n", table.text(), checks.size() - failed,
             checks.size());
  if (!options.out.empty()) write_file(options.out, csv(checks));
  write_results(checks, failed, options.results);
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_validate(Command& root) {
  auto options = std::make_shared<ValidateOptions>();
  Command command = root.add(
      "validate",
      "Run every reference result again and compare: ASTRA-sim, Garnet, SCALE-Sim, ns-3, htsim, Bagpipe");
  command
      .option("--golden", options->golden,
              "Folder with the references (default: tests/golden of the sources)")
      .option("--out", options->out, "The table as CSV")
      .option("-o,--results", options->results, "Folder for the results")
      .examples("  overture validate\n  overture validate --out validation.csv -o results/validate")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
