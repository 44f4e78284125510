// What would make a simulated run faster: runs it again with one thing at a time twice as good. No estimate;
// a run takes milliseconds.
#pragma once

#include <string>
#include <vector>

#include "overture/simulation/simulation.h"

namespace overture::simulation {

struct WhatIf {
  std::string what;  // "twice network.dimensions.0.bandwidth"
  Duration finished{};
};

// Bandwidth and latency of every dimension, the delay at the endpoints, and the speed of computing; those
// that are there, in this order. Nothing for runs that were cut short or have more than `max_events` events:
// they would take too long.
std::vector<WhatIf> what_helps(const SimulationConfig& config, const SimulationResult& result,
                               std::uint64_t max_events = 200'000);

}  // namespace overture::simulation
