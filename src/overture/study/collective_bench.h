// How long one collective takes on a network, size by size: nccl-tests' table for simulated machines. Runs
// the same system layer on any network.
#pragma once

#include <vector>

#include "overture/simulation/simulation.h"
#include "overture/system/collective.h"

namespace overture::study {

struct CollectivePoint {
  Bytes size;
  Duration time{};
  int ranks = 0;
  bool complete = true;  // not cut short by the limits

  // GB/s, decimal, as nccl-tests: data size over time, and what that asks of each link.
  double algorithm_bandwidth() const;
  double bus_bandwidth(system::CollectiveKind kind) const;
};

// Plays one collective for which every rank brings `held` (workload/workload.h), on the network and
// dimensions of `config` with its algorithms. Throws UserError.
CollectivePoint run_collective(const simulation::SimulationConfig& config, system::CollectiveKind kind,
                               Bytes held, const simulation::Limits& limits = {});

// The same for what nccl-tests calls `size`: an all-gather's is what every rank has in the end, in whole
// bytes per rank; a barrier has none.
CollectivePoint bench_collective(const simulation::SimulationConfig& config, system::CollectiveKind kind,
                                 Bytes size, const simulation::Limits& limits = {});

// first, first * factor, ... up to and including last.
std::vector<Bytes> sizes(Bytes first, Bytes last, int factor);

}  // namespace overture::study
