// A simulated run together with what a report shows of it: chunks, traffic by pair, links over time. All of
// it comes from one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "overture/report/links_record.h"
#include "overture/report/recorder.h"
#include "overture/simulation/simulation.h"
#include "overture/simulation/traffic.h"

namespace overture::report {

// traffic.csv: who sent how much to whom, and for which kind of collective.
std::string traffic_csv(const simulation::TrafficCounter& traffic);

struct ObservedRun {
  simulation::SimulationResult result;
  Recorder recorder;
  std::string traffic;  // traffic.csv; empty where there are too many NPUs to show
  std::string flows;    // flows.csv; empty where there are too many messages, or nobody counted
  Bytes messages{};     // sent by tasks, and by collectives; where somebody counted
  Bytes collectives{};
  std::vector<network::NetworkRecord::Counter> counters;  // of the network, such as drops and timeouts
  LinksRecord links;  // none where messages share no links, or not all NPUs were simulated
};

// The same of a run that the caller makes with these observers, every NPU of it.
ObservedRun observe_run(const std::function<simulation::SimulationResult(const simulation::Observers&)>& run,
                        const network::MonitorConfig& monitor = {});

// With the network, every NPU is simulated where the machine is small enough for a page and the run short
// enough; results are the same, only dearer. Throws UserError as simulate() does. Limits are obeyed on
// networks of links.
ObservedRun observe(const simulation::SimulationConfig& config, bool with_network,
                    const simulation::Limits& limits = {}, const network::MonitorConfig& monitor = {});

}  // namespace overture::report
