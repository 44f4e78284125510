#include "overture/study/validate.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/report/csv_grid.h"

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

int run(const std::string& golden, const std::string& out) {
  const fs::path folder = find_golden(golden);
  std::vector<study::Check> checks;
  const auto note = [&](const study::Check& check) { checks.push_back(check); };
  study::validate_astra(folder, fs::read_symlink("/proc/self/exe"), note);
  study::validate_ns3(folder, note);
  study::validate_htsim(folder, note);
  study::validate_opera(folder, note);
  study::validate_scale_sim(folder, note);
  study::validate_lookahead(folder, note);

  Table table({"from", "scenario", "what", "reference", "ours", "error", "CPU s"});
  std::size_t failed = 0;
  for (const study::Check& check : checks) {
    table.add({check.source, check.scenario.substr(0, 20), check.what, fmt::format("{:.6g}", check.reference),
               fmt::format("{:.6g}", check.ours),
               fmt::format("{:.3f} %{}", 100 * check.error(), check.passes() ? "" : " !"),
               fmt::format("{:.2f}", check.seconds)});
    failed += check.passes() ? 0 : 1;
  }
  fmt::print("{}\n{} of {} within what their references allow\n", table.text(), checks.size() - failed,
             checks.size());
  if (!out.empty()) write_file(out, csv(checks));
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_validate(Command& root) {
  auto golden = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  Command command = root.add(
      "validate", "Run every reference result again and compare: ASTRA-sim, SCALE-Sim, ns-3, htsim, Bagpipe");
  command.option("--golden", *golden, "Folder with the references (default: tests/golden of the sources)")
      .option("--out", *out, "The table as CSV")
      .examples("  overture validate\n  overture validate --out validation.csv")
      .runs([golden, out] { return run(*golden, *out); });
}

}  // namespace overture::cli
