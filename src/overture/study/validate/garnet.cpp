// ASTRA-sim over Garnet: every cell of every CSV, except where the original's numbers depend on the order in
// which its heap hands out equal credits; there the finish time of a model without that accident.
#include <sstream>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/study/validate/program.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

// case,finish,clean_finish,exact,...
std::vector<std::string> row_of(const fs::path& folder) {
  std::istringstream lines(read_file(folder.parent_path() / "cases.csv"));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream columns(line);
    for (std::string cell; std::getline(columns, cell, ',');) cells.push_back(cell);
    if (cells.size() >= 4 && cells[0] == folder.filename()) return cells;
  }
  throw UserError({.file = (folder.parent_path() / "cases.csv").string()},
                  fmt::format("has no row for {}", folder.filename().string()));
}

// In cycles; EndToEnd.csv has it in microseconds, in the twelfth column of the first layer.
double finish_of(const fs::path& results) {
  std::istringstream lines(read_file(results / "EndToEnd.csv"));
  std::string cell;
  std::getline(lines, cell);
  for (int column = 0; column < 12; ++column) std::getline(lines, cell, ',');
  return 1000 * std::stod(cell);
}

}  // namespace

void validate_garnet(const fs::path& golden, const fs::path& program, const Report& report) {
  const ScratchFolder scratch;
  for (const fs::path& folder : program_cases(golden / "garnet")) {
    const fs::path results = scratch.path() / folder.filename();
    Check check = run_program_case(folder, program, results, "Garnet");
    const std::vector<std::string> row = row_of(folder);
    if (row[3] != "yes") {
      check.what = "finish, cycles";
      check.reference = std::stod(row[2]);
      check.ours = finish_of(results);
      check.allowed = 1e-9;
    }
    report(check);
  }
}

}  // namespace overture::study
