// References that are files, compared line by line: SCALE-Sim's compute reports, and what Bagpipe's oracle
// decides.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/compute/scale_sim_config.h"
#include "overture/compute/scale_sim_layers.h"
#include "overture/lookahead/trace_run.h"
#include "overture/study/validate/program.h"
#include "overture/study/validate/validate.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void count_equal(const std::string& reference, const std::string& ours, Check& check) {
  const auto expected = lines_of(reference);
  const auto got = lines_of(ours);
  check.reference += static_cast<double>(expected.size());
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
    check.ours += expected[i] == got[i] ? 1 : 0;
}

std::vector<fs::path> sorted(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) entries.push_back(entry.path());
  }
  if (error) throw UserError({.file = folder.string()}, "cannot be read: " + error.message());
  std::ranges::sort(entries);
  return entries;
}

std::string compute_report_of(const fs::path& config, const fs::path& topology) {
  const compute::SystolicArray array = compute::read_scale_sim_config(config);
  std::vector<compute::LayerReport> reports;
  for (const compute::NamedGemm& layer : compute::read_scale_sim_topology(topology))
    reports.push_back(array.report(layer.gemm));
  return compute_report(reports);
}

Check check_plan(const fs::path& folder, const fs::path& scratch) {
  const std::clock_t start = std::clock();
  Check check{.source = "Bagpipe", .scenario = folder.filename().string(), .what = "equal lines"};
  lookahead::run_lookahead(folder / "trace.json", scratch);
  check.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  for (const fs::path& file : sorted(folder, ".csv"))
    count_equal(read_file(file), read_file(scratch / file.filename()), check);
  return check;
}

}  // namespace

void validate_scale_sim(const fs::path& golden, const Report& report) {
  const fs::path folder = golden / "scale-sim-gemm";
  for (const fs::path& config : sorted(folder, ".cfg")) {
    const std::clock_t start = std::clock();
    const std::string name = config.stem().string();
    Check check{.source = "SCALE-Sim", .scenario = "gemm " + name, .what = "equal lines"};
    const std::string ours = compute_report_of(config, folder / "gemm.csv");
    check.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    count_equal(read_file(folder / "expected" / (name + "_COMPUTE_REPORT.csv")), ours, check);
    report(check);
  }
}

void validate_lookahead(const fs::path& golden, const Report& report) {
  const ScratchFolder scratch;
  for (const fs::path& folder : sorted(golden / "lookahead", "")) {
    if (fs::exists(folder / "trace.json")) report(check_plan(folder, scratch.path() / folder.filename()));
  }
}

}  // namespace overture::study
