// How long one collective takes on a network, size by size: nccl-tests' table for simulated machines. Runs
// the same system layer on the analytical, the packet-level and the rotor networks.
#pragma once

#include <functional>
#include <vector>

#include "overture/network/analytical/config.h"
#include "overture/network/packet/config.h"
#include "overture/network/rotor/config.h"
#include "overture/system/config.h"
#include "overture/topology/routing.h"

namespace overture::study {

struct CollectivePoint {
  Bytes size;
  Duration time{};
  int ranks = 0;

  // GB/s, decimal, as nccl-tests: data size over time, and what that asks of each link.
  double algorithm_bandwidth() const;
  double bus_bandwidth(system::CollectiveKind kind) const;
};

// `config` has the algorithms; they must fit the network's dimensions. Throws UserError.
CollectivePoint run_collective(const network::AnalyticalConfig& network, const system::SystemConfig& config,
                               system::CollectiveKind kind, Bytes size);

// All hosts of the topology in one dimension; `make_topology` is called once per run.
CollectivePoint run_collective(const std::function<topology::Topology()>& make_topology,
                               const network::packet::PacketConfig& network,
                               const system::SystemConfig& config, system::CollectiveKind kind, Bytes size);

// The same on rotors.
CollectivePoint run_collective(const topology::Opera& opera, const network::rotor::RotorConfig& network,
                               const system::SystemConfig& config, system::CollectiveKind kind, Bytes size);

// first, first * factor, ... up to and including last.
std::vector<Bytes> sizes(Bytes first, Bytes last, int factor);

}  // namespace overture::study
