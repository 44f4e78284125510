// A recording of `overture train --record` (recording/recording.h) as a TrainedRun, from which a TaskGraph is
// made: measured times, and the bytes that were sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/recording/recording.h"
#include "overture/workload/trained_run.h"

namespace overture::formats {

struct RecordedRun {
  workload::TrainedRun run;
  // Of every step of the run: when trainer 0 ended it, in nanoseconds of the wall clock.
  std::vector<std::int64_t> ended;

  // Mean time from the end of a step to that of the next, over [first, last] of the run's steps.
  double seconds_per_step(std::size_t first, std::size_t last) const {
    return 1e-9 * static_cast<double>(ended[last] - ended[first]) / static_cast<double>(last - first);
  }
};

// All whole steps of the recording. Throws UserError, which names `folder`, for a run that cannot be
// simulated: without a cache, or of fewer than two steps.
RecordedRun recorded_run(const recording::Recording& recording, const std::string& folder);

}  // namespace overture::formats
