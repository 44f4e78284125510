// What a run of flows on a rotor network leaves: summary.json, the schedule of its circuits, and the lines
// that a terminal shows.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/dollars.h"
#include "overture/network/flows.h"
#include "overture/network/rotor/config.h"
#include "overture/topology/opera.h"

namespace overture::report {

struct RotorReport {
  std::string name;
  std::string setup_yaml;
  std::string version;
  const topology::Opera& opera;
  const network::rotor::RotorConfig& config;
  const std::vector<network::FlowSpec>& flows;
  const network::FlowsResult& result;
  std::string tried{};            // what would make it faster, as it was measured; may be empty
  Dollars cost{};                 // of the network
  std::vector<Duration> alone{};  // what the flows take on an empty network; may be empty
};

// Who faces whom: a row per slot, rotor and ToR. Larger networks have too many to look at: the header alone.
std::string schedule_csv(const topology::Opera& opera);

std::vector<std::pair<std::string, std::string>> rotor_lines(const RotorReport& run);

// What held the flows up, and what was found to help, in a sentence or two.
std::string rotor_why(const RotorReport& run);

std::string rotor_summary_json(const RotorReport& run);

// Makes the folder if need be; writes setup.yaml, schedule.csv, fct_distribution.csv, trace.json.gz and
// summary.json, and links.csv and links_over_time.csv if the links were watched. Throws UserError.
void write_rotor_folder(const RotorReport& run, const std::filesystem::path& folder);

}  // namespace overture::report
