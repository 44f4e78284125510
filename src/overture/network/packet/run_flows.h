// The packet engine alone: a list of flows in, their completion times and the network's record out. What the
// `overture flows` command and the benchmarks run; the rest of Overture uses packet_network.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/faults.h"
#include "overture/network/flows.h"
#include "overture/network/link_history.h"
#include "overture/network/packet/config.h"
#include "overture/network/record.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

struct PacketStatistics {
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
  std::uint64_t faults = 0;     // parts of the network that ever fail
  std::uint64_t lost = 0;       // packets, by faults
  std::uint64_t corrupted = 0;  // of those: by bit errors
  std::uint64_t reroutes = 0;   // packets that a switch sent around a fault
};

std::vector<NetworkRecord::Counter> counters(const PacketStatistics& of);

struct PacketRun : FlowTimes {
  PacketStatistics statistics;
  std::vector<LinkRecord> links;         // as in the topology's graph
  LinkHistory history;                   // if it was asked for
  std::uint64_t digest = 0;              // of all events: same inputs, same digest
  std::vector<std::string> undelivered;  // see NetworkRecord
};

// Flows with equal start are issued in the order of the list. A flow to its own host takes no time, one of 0
// bytes is sent as 1. Throws UserError when a host does not exist, a size or start is negative, or the
// configuration cannot work.
PacketRun run_flows(const topology::Topology& topology, const PacketConfig& config,
                    const std::vector<FlowSpec>& flows, const RunLimits& limits = {},
                    const std::optional<MonitorConfig>& monitor = std::nullopt, const Faults& faults = {});

}  // namespace overture::network::packet
