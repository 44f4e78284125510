// Flows on Debian's ns-3, for cross-checks: writes the network and the flows as text, runs the separate
// program overture-ns3 (built where libns3-dev is installed) and reads the completion times. Only what ns-3's
// TCP can do: NewReno, drop-tail ports, ways by destination.
//
// The text, one fact a line: `nodes HOSTS NODES`; `cable A B BITS_PER_SECOND DELAY_PS`; `route NODE CABLE...`
// with a cable for every destination; `flow FROM TO BYTES START_PS`; and `segment`, `initial_window`,
// `receive_window`, `min_rto_ps`, `port_limit`, `until_ps` with their value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overture/network/packet/run_flows.h"
#include "overture/topology/routing.h"

namespace overture::network::ns3 {

struct Ns3Result {
  std::vector<std::optional<Duration>> completion;  // from start to last byte delivered; none: not finished
  std::int64_t drops = 0;                           // packets that ports had no room for
  double open_seconds = 0;                          // of CPU: before the first flow
  double run_seconds = 0;                           // of CPU: all flows
};

// overture-ns3 beside this program or on the PATH; none if it was not built.
std::optional<std::filesystem::path> find_ns3_program();

// The text above. Throws UserError when ns-3 cannot do what the configuration asks for.
std::string network_text(const topology::Topology& topology, const packet::PacketConfig& config,
                         const std::vector<FlowSpec>& flows, const RunLimits& limits);

// Throws UserError when the program fails. Its files lie in a new folder under the system's temporary one
// while it runs.
Ns3Result run_flows(const std::filesystem::path& program, const topology::Topology& topology,
                    const packet::PacketConfig& config, const std::vector<FlowSpec>& flows,
                    const RunLimits& limits = {});

}  // namespace overture::network::ns3
