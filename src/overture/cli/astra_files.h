// ASTRA-sim's three files and the flags that go with them: shared by `overture astra` and `overture import
// astra`.
#pragma once

#include <string>
#include <vector>

#include "overture/cli/command.h"
#include "overture/simulation/simulation.h"

namespace overture::cli {

struct AstraFiles {
  std::string network;
  std::string system;
  std::string workload;
  int passes = 1;
  int queues = 1;
  float comm_scale = 1;
  float compute_scale = 1;
  float injection_scale = 1;
  bool rendezvous = false;
  std::vector<int> units;
  std::vector<int> links;
  std::vector<double> bandwidth;
  std::vector<double> latency;
};

struct AstraRun {
  simulation::SimulationConfig config;
  bool write_reports = true;
};

void add_astra_file_options(Command& command, AstraFiles& files);

// Reads and checks. Throws UserError.
AstraRun load_astra(const AstraFiles& files);

}  // namespace overture::cli
