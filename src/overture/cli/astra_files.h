// ASTRA-sim's three files and the flags that go with them: shared by `overture astra` and `overture import
// astra`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/cli/command.h"
#include "overture/network/garnet/config.h"
#include "overture/simulation/simulation.h"

namespace overture::cli {

struct AstraFiles {
  std::string network;
  std::string system;
  std::string workload;
  std::optional<int> passes;  // by default what the original of the backend has
  int queues = 1;
  float comm_scale = 1;
  float compute_scale = 1;
  float injection_scale = 1;
  bool rendezvous = false;
  std::string garnet_order = "clean";
  std::vector<int> units;
  std::vector<int> links;
  std::vector<double> bandwidth;
  std::vector<double> latency;
};

struct AstraRun {
  simulation::SimulationConfig config;
  std::optional<network::garnet::GarnetConfig> garnet;  // then config.network is its analytical counterpart
  bool write_reports = true;
};

void add_astra_file_options(Command& command, AstraFiles& files);

// Reads and checks. Throws UserError.
AstraRun load_astra(const AstraFiles& files);

}  // namespace overture::cli
