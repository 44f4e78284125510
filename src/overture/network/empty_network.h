// How long flows would take with the network to themselves: what slowdowns are measured against.
#pragma once

#include <vector>

#include "overture/network/flows.h"
#include "overture/network/make_network.h"

namespace overture::network {

// The delays of a flow's path and its bytes at the rate of the slowest link on it; no headers, no slow start.
// On rotors, a circuit that is there at once. Zero for a flow to its own host. Empty where the network has no
// links to tell. Throws UserError as make_network().
std::vector<Duration> empty_network_times(const NetworkConfig& config, const std::vector<FlowSpec>& flows);

}  // namespace overture::network
