// How long one collective takes on a network, size by size: nccl-tests' table for simulated machines. Runs
// the same system layer on any network.
#pragma once

#include <vector>

#include "overture/network/make_network.h"
#include "overture/simulation/play.h"
#include "overture/system/config.h"

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

// `config` has the algorithms; they must fit the network's dimensions (network::system_dimensions). Throws
// UserError.
CollectivePoint run_collective(const network::NetworkConfig& network, const system::SystemConfig& config,
                               system::CollectiveKind kind, Bytes size,
                               const simulation::Limits& limits = {});

// first, first * factor, ... up to and including last.
std::vector<Bytes> sizes(Bytes first, Bytes last, int factor);

}  // namespace overture::study
