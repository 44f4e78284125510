// The flow-level backend alone: a list of flows in, their completion times out. As packet/run_flows.h, so the
// two can be compared flow by flow.
#pragma once

#include <vector>

#include "overture/network/flow/config.h"
#include "overture/network/flow/flow_network.h"
#include "overture/network/flows.h"

namespace overture::network::flow {

struct FluidRun : FlowTimes {
  FluidStatistics statistics;
};

// A flow to its own host takes no time, one of 0 bytes is sent as 1. Throws UserError when a host does not
// exist, a size or start is negative, a flow can never end, or the configuration cannot work.
FluidRun run_flows(topology::Topology topology, const FlowConfig& config, const std::vector<FlowSpec>& flows);

}  // namespace overture::network::flow
