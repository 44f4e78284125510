// The native setup: one YAML file says everything about a run, with units. Reading it gives the plain structs
// of the layers below; writing gives the file back; explaining tells what a key means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/network/flows.h"
#include "overture/setup/cache_setup.h"
#include "overture/setup/dlrm_setup.h"
#include "overture/setup/network_setup.h"
#include "overture/setup/prices.h"
#include "overture/setup/traffic.h"
#include "overture/setup/training_setup.h"
#include "overture/setup/visitors.h"
#include "overture/simulation/simulation.h"

namespace overture::setup {

// What a command takes from a setup: all of it; only the network and what belongs to it; or what it says of a
// DLRM, from which no workload is made.
enum class Needs : std::uint8_t { workload, network, description };

struct Setup {
  std::string name = "run";
  std::uint64_t seed = 1;
  NetworkSetup network;
  network::Prices prices;                 // of the list that the network names, or the built-in one
  network::Faults faults;
  TrafficPattern traffic;                 // in place of a workload, for `overture flows`
  network::MonitorConfig monitor;         // links over time; no samples: off
  std::string file;                       // of the setup itself
  std::optional<DlrmSetup> dlrm;          // from which the simulation's workload was made
  std::optional<CacheSetup> cache;        // of that DLRM's rows
  std::string recording;                  // folder of one that is the workload
  std::optional<TrainingSetup> training;  // of `overture train`, or what changes in the recording
  std::string chakra;                     // traces that are the workload; see chakra::rank_file()
  std::string chakra_groups;              // their group file
  std::string tasks;                      // file of a task graph in its place
  Bandwidth between_gpus = workload::DlrmTraining{}.between_gpus;  // of that graph's nodes
  simulation::SimulationConfig simulation;                         // its network is that of network_config()
};

// `overrides` are "key=value" from the command line. Files that the setup names are found beside it. Throws
// UserError. Who loads many setups that are planned alike hands each the same `planned`.
Setup load_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                 Needs needs = Needs::workload);
Setup parse_setup(std::string_view text, const std::string& file,
                  const std::vector<std::string>& overrides = {}, Needs needs = Needs::workload,
                  PlannedTraffic* planned = nullptr);

// Of the whole setup. Throws UserError, though not for a setup that was read.
network::NetworkConfig network_config(const Setup& setup);
// What its network costs, by its price list. Builds a topology to count its links.
Dollars network_cost(const Setup& setup);
// Flows of the pattern between so many hosts. Throws UserError.
std::vector<network::FlowSpec> make_traffic(const Setup& setup, int hosts);

std::string write_setup(const Setup& setup);

// Plays a FlexFlow task graph (.tg) in place of what the setup trains. Throws UserError.
void take_tasks(Setup& setup, const std::filesystem::path& file);

// Every key, in the order of the file.
std::vector<Explanation> explain_setup();

}  // namespace overture::setup
