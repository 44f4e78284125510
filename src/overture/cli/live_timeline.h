// Measured and predicted steps under each other, as a trace: a rank for every point, two streams for every
// party.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/report/trace.h"
#include "overture/simulation/simulation.h"

namespace overture::cli {

class LiveTimelines {
 public:
  // Of at most so many points.
  explicit LiveTimelines(int points) : points_(points) {}

  // Some steps of a recording, and of what was predicted for it.
  void add(const std::string& point, const std::filesystem::path& recording,
           const simulation::SimulationResult& predicted);
  void write(const std::filesystem::path& folder) const;

 private:
  int points_;
  std::vector<report::Trace> traces_;
};

}  // namespace overture::cli
