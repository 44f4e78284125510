// The packet engine alone: a list of flows in, their completion times and the network's record out. What the
// `overture flows` command and the benchmarks run; the rest of Overture uses packet_network.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "overture/base/ids.h"
#include "overture/base/units.h"
#include "overture/network/link_history.h"
#include "overture/network/packet/config.h"
#include "overture/network/record.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

struct FlowSpec {
  Rank from;
  Rank to;
  Bytes size;
  Time start{};
};

// A run can be cut short; it then reports what finished.
struct RunLimits {
  std::optional<Time> until;                 // simulated
  std::optional<std::chrono::seconds> wall;  // of this machine
  // If given, called now and then with the number of flows that have finished; false ends the run.
  std::function<bool(std::size_t)> go_on;
};

struct Statistics {
  std::uint64_t packet_hops = 0;   // arrivals of a packet at the end of a link
  std::uint64_t data_packets = 0;  // sent, retransmissions included
  std::uint64_t drops = 0;
  std::uint64_t marks = 0;          // by ECN
  std::uint64_t trims = 0;          // data packets that lost their payload in a full queue (NDP)
  std::uint64_t pauses = 0;         // PFC: pause frames; credits: times that a packet found none
  std::uint64_t notifications = 0;  // CNPs of DCQCN
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t fast_recoveries = 0;
  std::uint64_t duplicates = 0;     // data packets that arrived with nothing new
  Bytes delivered;                  // payload, every byte once
  std::uint64_t flow_memory = 0;    // bytes
  std::uint64_t fabric_memory = 0;  // bytes
  std::uint64_t connections = 0;
};

std::vector<NetworkRecord::Counter> counters(const Statistics& of);

struct RunResult {
  std::vector<std::optional<Duration>> completion;  // from start to last byte delivered; none: not finished
  Duration makespan{};                              // the last completion, from time 0
  std::size_t finished = 0;
  Duration simulated{};  // the makespan, or when the run was cut short
  bool locked = false;   // unfinished, and nothing can move any more: buffers wait for each other in a circle
  Statistics statistics;
  std::vector<LinkRecord> links;  // as in the topology's graph
  LinkHistory history;            // if it was asked for
  std::uint64_t digest = 0;       // of all events: same inputs, same digest
};

// Flows with equal start are issued in the order of the list. A flow to its own host takes no time, one of 0
// bytes is sent as 1. Throws UserError when a host does not exist, a size or start is negative, or the
// configuration cannot work.
RunResult run_flows(const topology::Topology& topology, const PacketConfig& config,
                    const std::vector<FlowSpec>& flows, const RunLimits& limits = {},
                    const std::optional<MonitorConfig>& monitor = std::nullopt);

// Fills in what follows from the completion times: how many finished, and the makespan.
void summarise(const std::vector<FlowSpec>& flows, RunResult& result);

}  // namespace overture::network::packet
