// One simulated run from a setup to its results folder, for every command that simulates one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "overture/cli/output.h"
#include "overture/setup/setup.h"

namespace overture::cli {

struct SimulatedRunOptions {
  std::filesystem::path out;  // the folder that was chosen
  Output output;
  bool quiet = false;
  bool no_why = false;
  std::optional<std::vector<std::string>>
      overrides{};  // of the setup's file; none: it cannot be loaded again
  std::string max_sim_time;
  int max_wall_seconds = 0;
};

// --max-sim-time and --max-wall.
void add_limits(Command& command, SimulatedRunOptions& options);

// Loads a setup, which may take long, runs it, writes the folder and prints. Limits and Ctrl-C count from the
// start. Returns the exit code: 130 after Ctrl-C, 3 if a limit cut it short. Throws UserError.
int simulate_setup(const std::function<setup::Setup()>& load, const SimulatedRunOptions& options);

}  // namespace overture::cli
