// The cells of a study as processes of their own: each writes its result into a folder named after it, so
// that a study which was stopped goes on where it was.
#pragma once

#include <filesystem>
#include <vector>

#include "overture/study/opera_dlrm/table.h"
#include "overture/study/sweep.h"

namespace overture::study::opera_dlrm {

// The program that runs the cells. What another version of it made is run again.
struct CellProgram {
  std::filesystem::path file;
  std::string version;
};

// One point for each cell.
SweepJob cell_job(const std::vector<Cell>& cells, const CellProgram& program,
                  const std::filesystem::path& folder);

// The results of those that are finished, in order.
std::vector<FinishedCell> finished_cells(const std::vector<Cell>& cells, const SweepJob& job);

// What the process of a cell does: writes its summary.json into `folder`.
void write_cell(const Cell& cell, const CellResult& result, const std::string& version,
                const std::filesystem::path& folder);

}  // namespace overture::study::opera_dlrm
