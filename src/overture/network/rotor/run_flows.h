// A rotor network alone: a list of flows in, their completion times and a record out. For tests, benchmarks
// and commands; the rest of Overture uses rotor_network.h.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/faults.h"
#include "overture/network/flows.h"
#include "overture/network/link_load.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/statistics.h"
#include "overture/topology/opera.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {

struct RotorRun : FlowTimes {
  RotorStatistics statistics;
  std::uint64_t digest = 0;  // same inputs, same digest
  LinkLoad load;             // if it was asked for
  NetworkRecord faults;      // counters and undelivered messages, if a part of the network ever fails
};

struct RotorRunOptions {
  RunLimits limits;                             // simulated: at most 1000 s
  int watched_bins = 0;                         // even; of what links carry over time, 0: not watched
  bool packet_by_packet = false;                // even where bulk traffic is alone; for tests
  const topology::OperaPaths* paths = nullptr;  // of low-latency packets; null: one shortest path a pair
  Faults faults{};
};

// A flow to its own host takes no time, one of 0 bytes is sent as 1. Throws UserError when a host does not
// exist, a size or start is negative, or the configuration cannot work.
RotorRun run_flows(const topology::Opera& opera, const RotorConfig& config,
                   const std::vector<FlowSpec>& flows, const RotorRunOptions& options = {});

}  // namespace overture::network::rotor
