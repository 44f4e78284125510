// What holds for every run that can be simulated at all.
#pragma once

#include "targets.h"

#include "overture/simulation/simulation.h"

namespace overture::fuzz {

// Simulates `config` from one rank and from all of them. A configuration may be refused, but then by both; a
// run that does not come to its end is a finding.
void check_run(simulation::SimulationConfig config);

}  // namespace overture::fuzz
