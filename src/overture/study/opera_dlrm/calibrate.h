// The one number per model that is fitted: how long a table takes backward. It is fitted on one published
// cell, Opera with DPS on 16 nodes, whose time is smooth; the fat tree's depend on chance. Forward keeps the
// 100 ms of the default, so the sum of the two is what the cell fixes.
#pragma once

#include <functional>
#include <string_view>

#include "overture/study/opera_dlrm/run.h"

namespace overture::study::opera_dlrm {

// Model A or I, baseline, 16 nodes, Opera, DPS, packets, as published. Throws UserError for another model.
Cell calibration_cell(std::string_view model);

// The time backward with which `run` takes as long as published, to a microsecond a table. `run` gives the
// iteration for a time backward, and grows with it.
Duration fit_backward(Duration published, int tables_in_turn, const std::function<Duration(Duration)>& run);

// Runs calibration_cell() a few times.
Duration calibrate(std::string_view model);

}  // namespace overture::study::opera_dlrm
