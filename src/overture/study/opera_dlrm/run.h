// Runs one cell of the Opera study: builds the step and the network that the cell names, plays it, and says
// how long it took and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/study/opera_dlrm/cells.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::study::opera_dlrm {

// When the tasks of a kind had ended: quantiles 0 %, 1 %, ..., 100 %.
struct TaskEnds {
  std::string kind;  // features, gradients, table backward, all-reduce
  std::vector<double> seconds;
};

struct CellResult {
  Duration iteration{};
  Duration exposed{};           // the busiest node waits for the network
  double traffic_fraction = 0;  // of all bytes, what the all-reduces send
  std::uint64_t timeouts = 0;   // retransmission timers that ran out; packet backend, fat tree
  std::vector<TaskEnds> ends;
  double cpu_seconds = 0;
  double memory_mb = 0;  // the most that the process had
};

// Time per table where the setting is as published: one number for each model, found by calibrate() on the
// cell that calibration_cell() names; all other times are predictions. Sound settings do not use it.
model::DlrmCalibration study_calibration(std::string_view model);

workload::DlrmStep make_step(const Cell& cell, const model::DlrmCalibration& calibration);

// Throws UserError when the cell cannot run. CPU and memory are those of the whole process.
CellResult run_cell(const Cell& cell);
CellResult run_cell(const Cell& cell, const model::DlrmCalibration& calibration);

// One JSON object that names the version of the program, and back. Reading throws UserError that names the
// file.
std::string to_json(const Cell& cell, const CellResult& result, const std::string& version);
CellResult parse_result(std::string_view text, const std::string& file);

}  // namespace overture::study::opera_dlrm
