// One whole simulated run of a workload in layers: its graph, the system layer and the network put together,
// run to the end, and what came out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/network/analytical/config.h"
#include "overture/simulation/layer_account.h"
#include "overture/simulation/play.h"
#include "overture/workload/workload.h"

namespace overture::simulation {

struct SimulationConfig {
  workload::Workload workload;
  system::SystemConfig system;
  network::AnalyticalConfig network;
  int passes = 1;
  Duration step{};                     // see workload::LoopOptions
  std::optional<system::Scope> scope;  // default: the smallest that is exact
  std::string system_file;             // named in errors about algorithms that do not fit
  std::string workload_file;           // ... and about groups and sizes
};

struct SimulationResult : Timeline {
  workload::TaskGraph graph{0};
  std::vector<LayerAccount> layers;
  double cost_dollars = 0;
};

// Throws UserError for a configuration that cannot run, before time zero, and for a deadlock, with who waits
// for what.
SimulationResult simulate(const SimulationConfig& config, const Observers& observers = {},
                          const Limits& limits = {});

// The same on a network of the caller's, which carries messages in the time of `events`. Every rank is
// simulated.
SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers = {});

}  // namespace overture::simulation
