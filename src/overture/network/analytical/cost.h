// What a machine's network costs, by ASTRA-sim 1.0's price list. The prices are the original's, not ours.
#pragma once

#include "overture/network/analytical/config.h"

namespace overture::network {

// Dollars for all links, switches and NICs. Reproduces the original's oddities: a tile's full mesh or switch
// links cost -1 $ each (specs: "passes bandwidth -1").
double cost_in_dollars(const AnalyticalConfig& config);

}  // namespace overture::network
