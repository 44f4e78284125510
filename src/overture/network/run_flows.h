// A list of flows in, their completion times and the network's record out, on any network. Packets and rotors
// take their engines' own path, without the shared event queue, and packets several threads; the times are
// those of the Network interface.
#pragma once

#include <optional>
#include <vector>

#include "overture/network/flows.h"
#include "overture/network/make_network.h"

namespace overture::network {

// A flow to its own host takes no time, one of 0 bytes is sent as 1. Throws UserError when a host does not
// exist, a size or start is negative, a flow can never end, or the configuration cannot work.
FlowsResult run_flows(const NetworkConfig& config, const std::vector<FlowSpec>& flows,
                      const RunLimits& limits = {},
                      const std::optional<MonitorConfig>& monitor = std::nullopt);

}  // namespace overture::network
