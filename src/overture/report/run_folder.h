// The results of a native run: one folder with summary.json, the setup as it was run, CSVs and rank 0's
// trace. All numbers carry their unit in their name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overture/report/observed_run.h"
#include "overture/simulation/simulation.h"

namespace overture::report {

struct Run {
  std::string name;
  std::string setup_yaml;
  const simulation::SimulationConfig& config;
  const ObservedRun& observed;
  std::string why;                       // from why()
  std::optional<double> cost_dollars{};  // of the network, where it is known
};

// What a reader must know before he believes the numbers; empty when there is nothing.
std::vector<std::string> caveats(const simulation::SimulationConfig& config);

// Where the time went, in a sentence: the share of exposed communication, the dimension most in use, and what
// would help most. For the last, short runs are simulated again, with one thing at a time twice as good.
// `tries`: also runs again with likely changes, and tells the best.
std::string why(const simulation::SimulationConfig& config, const simulation::SimulationResult& result,
                bool tries = true);

// The content of summary.json.
std::string summary_json(const Run& run, std::size_t trace_events_dropped = 0);

// Makes the folder if need be. Throws UserError when something cannot be written.
void write_run_folder(const Run& run, const std::filesystem::path& folder);

}  // namespace overture::report
