// Packet networks whose links have credits. They are played by Garnet's engine (garnet/credit_network.h), not
// by the packet engine.
#pragma once

#include <memory>

#include "overture/network/network.h"
#include "overture/network/packet/backend.h"
#include "overture/sim/event_queue.h"

namespace overture::network {

bool has_credits(const PacketNetworkConfig& config);

// `events` outlives the network. Throws UserError when the configuration cannot work.
std::unique_ptr<Network> make_credit_network(const PacketNetworkConfig& config, sim::EventQueue& events);

}  // namespace overture::network
