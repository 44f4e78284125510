// Who sends how much to whom in a simulated run, and how busy every link is over time. The simulation itself
// follows one NPU where that is exact; for these tables it runs again with all of them.
#pragma once

#include <filesystem>

#include "overture/workload/simulation.h"

namespace overture::report {

// Writes traffic.csv, by kind of collective, and where messages share links also links.csv and
// links_over_time.csv. Nothing for machines of more NPUs than a page shows, or runs that would take long.
// Throws UserError.
void write_network_use(const workload::SimulationConfig& config, const workload::SimulationResult& result,
                       const std::filesystem::path& folder);

}  // namespace overture::report
