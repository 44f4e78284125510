#include "overture/study/opera_dlrm/calibrate.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/study/opera_dlrm/published.h"

namespace overture::study::opera_dlrm {

Cell calibration_cell(std::string_view model) {
  model::published_model(model);
  return {.model = std::string(model),
          .nodes = 16,
          .network = StudyNetwork::opera,
          .all_reduce = system::kDistributedParameterServer,
          .backend = StudyBackend::packet,
          .setting = Setting::published()};
}

// The iteration grows by one time per table on the fullest node for each of them: Newton's method with that
// slope is exact but for the slices that a change moves.
Duration fit_backward(Duration published, int tables_in_turn, const std::function<Duration(Duration)>& run) {
  constexpr int kMostRuns = 6;
  constexpr Duration kClose = std::chrono::microseconds(1);
  Duration backward = std::chrono::milliseconds(330);
  for (int i = 0; i < kMostRuns; ++i) {
    const Duration step = (published - run(backward)) / tables_in_turn;
    backward = std::max(backward + step, Duration::zero());
    if (std::chrono::abs(step) <= kClose) break;
  }
  return backward;
}

Duration calibrate(std::string_view model) {
  const Cell cell = calibration_cell(model);
  const int tables = model::published_model(model).tables;
  const int fullest = (tables + cell.nodes - 1) / cell.nodes;
  return fit_backward(published_time(cell)->iteration, fullest, [&](Duration backward) {
    model::DlrmCalibration calibration;
    calibration.embedding_backward = backward;
    return run_cell(cell, calibration).iteration;
  });
}

model::DlrmCalibration study_calibration(std::string_view model) {
  model::published_model(model);
  // What `overture study opera-dlrm --calibrate A` and `I` print, to a microsecond.
  model::DlrmCalibration calibration;
  calibration.embedding_backward = std::chrono::microseconds(model == "A" ? 330'059 : 364'726);
  return calibration;
}

}  // namespace overture::study::opera_dlrm
