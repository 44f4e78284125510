// What would make a run faster: runs it again with the few changes that look likeliest, one at a time, and
// keeps the times. A change is written as the user would give it to --set.
#pragma once

#include <string>
#include <vector>

#include "overture/network/flows.h"
#include "overture/setup/setup.h"
#include "overture/simulation/simulation.h"

namespace overture::cli {

struct FlowsTry {
  std::string change;   // "network.roce.control=none"
  bool buys = false;    // a faster network, not another setting
  Duration makespan{};  // zero: not faster than the run
};

// The likeliest changes of a run with this record, likeliest first.
std::vector<FlowsTry> likely_changes(const setup::Setup& setup, const network::NetworkRecord& record);

// Runs `flows` with the overrides that the run had and each change until all flows have finished or the run's
// own makespan is over. Nothing is tried for runs of more packet hops than a second or two can redo, nor for
// those that did not finish.
std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const std::vector<network::FlowSpec>& flows,
                                  const network::FlowsResult& result);

// The same of a training that was simulated on links or rotors; nothing where a formula was the network.
std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const simulation::SimulationResult& result,
                                  const network::NetworkRecord& record);

// "with network.paths=spray it takes 1.2 ms instead of 2 ms": the best setting and the best purchase, or that
// none of them helps. Empty if nothing was tried.
std::string tell(const std::vector<FlowsTry>& tries, Duration makespan);

}  // namespace overture::cli
