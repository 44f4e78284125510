// overture study opera-dlrm, in three files: the matrix and the headline (study_opera.cpp), co-design sweeps
// (study_opera_sweep.cpp), and a cell's network as a setup (study_opera_setup.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/cli/output.h"
#include "overture/study/opera_dlrm/cells.h"
#include "overture/study/opera_dlrm/table.h"
#include "overture/study/study_report.h"

namespace overture::cli {

struct OperaOptions {
  std::string nodes;
  std::string models;
  std::string variants;
  std::string networks;
  std::string all_reduces;
  std::string tables;
  std::string backend = "flow";
  std::string cell;
  std::string calibrate;
  Output output;
  std::vector<std::string> sweep;
  std::optional<int> seeds;  // 1, of the headline 3
  int jobs = 0;
  bool as_published = false;
  bool explain = false;
  bool headline = false;
};

study::opera_dlrm::MatrixChoice choice_of(const OperaOptions& options);
// What was asked, as a setup says it.
std::string asked(const OperaOptions& options);

// Runs what is not finished yet, and returns what is then. `code` is that of the first failure, or 0.
std::vector<study::opera_dlrm::FinishedCell> finish(const OperaOptions& options,
                                                    const std::vector<study::opera_dlrm::Cell>& cells,
                                                    int& code);

int run_design_sweep(const OperaOptions& options);

// The cell's network as a setup of `overture flows` and `overture replay`, with the commands that make the
// step in its first lines.
std::string cell_setup(const study::opera_dlrm::Cell& cell);
// Every cell with its setup to copy.
void add_cell_setups(const std::vector<study::opera_dlrm::FinishedCell>& cells, study::StudyReport& report);

}  // namespace overture::cli
