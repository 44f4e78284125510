// What a run of flows leaves, whatever the network: summary.json and links.csv, and the few lines that a
// terminal shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/dollars.h"
#include "overture/network/faults.h"
#include "overture/network/flows.h"
#include "overture/topology/opera.h"

namespace overture::report {

struct FlowsRun {
  std::string name;
  std::string setup_yaml;
  std::uint64_t seed = 1;
  int hosts = 0;
  const std::vector<network::FlowSpec>& flows;
  const network::FlowsResult& result;
  std::string tried{};                      // what would make it faster, as it was measured; may be empty
  Dollars cost{};                           // of the network
  std::vector<Duration> alone{};            // what the flows take on an empty network; may be empty
  const topology::Opera* rotors = nullptr;  // the schedule of a rotor network
  network::Faults faults{};
};

// Label and value, for people.
std::vector<std::pair<std::string, std::string>> flows_lines(const FlowsRun& run);

// What held the flows up, and what was found to help, in a sentence or two.
std::string flows_why(const FlowsRun& run);

std::string flows_summary_json(const FlowsRun& run);

// Makes the folder if need be; writes setup.yaml, links.csv, fct_distribution.csv, trace.json.gz and
// summary.json; links_over_time.csv if the links were watched: every tier, and the busiest links one by one;
// and schedule.csv of rotors. Throws UserError.
void write_flows_folder(const FlowsRun& run, const std::filesystem::path& folder);

}  // namespace overture::report
