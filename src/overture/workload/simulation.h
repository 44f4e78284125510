// One whole simulated run: workload, system and network put together, run to the end, and what came out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/analytical/config.h"
#include "overture/system/system.h"
#include "overture/workload/trainer.h"
#include "overture/workload/workload.h"

namespace overture::workload {

struct SimulationConfig {
  Workload workload;
  system::SystemConfig system;
  network::AnalyticalConfig network;
  int passes = 1;
  Duration step{};                     // see Trainer::Options
  std::optional<system::Scope> scope;  // default: the smallest that is exact
  std::string system_file;             // named in errors about algorithms that do not fit
  std::string workload_file;           // ... and about groups and sizes
};

struct Observers {
  TrainerObservers trainer;
  std::function<void(const system::ChunkEvent&)> chunk;
};

struct SimulationResult {
  Duration finished{};
  std::vector<LayerAccount> layers;
  std::vector<system::DimensionUse> dimensions;  // logical
  std::vector<Bytes> sent_by_rank_0;             // per physical dimension
  double cost_dollars = 0;
  int ranks = 0;
  system::Scope scope = system::Scope::rank_0;
  std::uint64_t events = 0;

  Duration compute() const;
  // Everything that is not compute: exposed communication, and the loop's own steps.
  Duration exposed() const { return finished - compute(); }
};

// The kinds of collective that the workload will issue.
std::vector<system::CollectiveKind> collectives_used(const Workload& workload);

// Throws UserError for a configuration that cannot run, before time zero, and for a deadlock, with who waits
// for what.
SimulationResult simulate(const SimulationConfig& config, const Observers& observers = {});

// The same on a network of the caller's, which carries messages in the time of `events`.
SimulationResult simulate(const SimulationConfig& config, network::Network& network, sim::EventQueue& events,
                          const Observers& observers = {});

}  // namespace overture::workload
