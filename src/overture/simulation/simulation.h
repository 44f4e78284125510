// One whole simulated run of a workload, in layers or as a graph of tasks: the graph, the system layer and
// the network put together, run to the end, and what came out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/make_network.h"
#include "overture/network/run_flows.h"
#include "overture/simulation/layer_account.h"
#include "overture/simulation/play.h"
#include "overture/workload/workload.h"

namespace overture::simulation {

struct SimulationConfig {
  workload::Workload workload;
  std::shared_ptr<const workload::TaskGraph> tasks{};  // in place of a workload in layers
  std::string tasks_note{};  // what a reader of their results must know; may be empty
  system::SystemConfig system;
  network::NetworkConfig network;
  network::Faults faults{};  // of its nodes; the network has its own share
  // How collectives see the network, dimension by dimension: so many ranks each, the first fastest. Empty: as
  // the network itself suggests.
  std::vector<int> dimensions;
  int passes = 1;
  Duration step{};                     // see workload::LoopOptions
  Duration start{};                    // when the ranks begin; counts as part of the run
  bool equal_bandwidth = false;        // Themis takes all dimensions for equally fast
  std::optional<system::Scope> scope;  // default: the smallest that is exact
  std::string system_file;             // named in errors about algorithms that do not fit
  std::string workload_file;           // ... and about groups and sizes
};

// The dimensions that collectives run along. Throws UserError when those of the setup do not make up the
// network.
topology::Hierarchy system_dimensions(const SimulationConfig& config);

// The network, which must be the analytical one.
const network::AnalyticalConfig& analytical(const SimulationConfig& config);
network::AnalyticalConfig& analytical(SimulationConfig& config);

struct SimulationResult : Timeline {
  workload::TaskGraph graph{0};
  std::vector<LayerAccount> layers;  // none of a graph of tasks
};

// What the executor would play. Throws UserError.
workload::TaskGraph task_graph(const SimulationConfig& config);

// Throws UserError for a configuration that cannot run, before time zero, and for a deadlock, with who waits
// for what.
SimulationResult simulate(const SimulationConfig& config, const Observers& observers = {},
                          const Limits& limits = {});

// The same on a network of the caller's, which carries messages in the time of `events`. Every rank is
// simulated, unless config.scope says otherwise.
SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers = {});

}  // namespace overture::simulation
