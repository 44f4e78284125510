#include "overture/study/opera_dlrm/jobs.h"

#include "overture/base/files.h"

namespace overture::study::opera_dlrm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "summary.json";

}  // namespace

SweepJob cell_job(const std::vector<Cell>& cells, const CellProgram& program, const fs::path& folder) {
  SweepJob job{.program = program.file, .command = "study", .setup = {}, .points = {}};
  for (const Cell& cell : cells) {
    job.points.push_back({.overrides = {name(cell)},
                          .folder = folder / "cells" / name(cell),
                          .arguments = {"opera-dlrm", "--cell", name(cell)},
                          .version = program.version});
  }
  return job;
}

std::vector<FinishedCell> finished_cells(const std::vector<Cell>& cells, const SweepJob& job) {
  std::vector<FinishedCell> finished;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_finished(job.points[i])) continue;
    const fs::path file = job.points[i].folder / kSummary;
    finished.push_back({.cell = cells[i], .result = parse_result(read_file(file), file.string())});
  }
  return finished;
}

void write_cell(const Cell& cell, const CellResult& result, const std::string& version,
                const fs::path& folder) {
  fs::create_directories(folder);
  write_file(folder / kSummary, to_json(cell, result, version));
}

}  // namespace overture::study::opera_dlrm
