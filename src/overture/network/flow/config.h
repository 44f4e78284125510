// How the flow-level backend shares the network. It is a fluid: no queues, no losses, no slow start. Right on
// balanced exchanges of large messages, 10 to 40 % optimistic where queues and losses matter.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/flow/capacity.h"
#include "overture/topology/routing.h"

namespace overture::network::flow {

enum class Sharing : std::uint8_t {
  equal,            // max-min fair
  inverse_latency,  // flows weigh as the inverse of their path's delay, as TCP's do and SimGrid's
};

// When the delay of the wires is paid.
enum class Latency : std::uint8_t {
  after,   // a flow takes capacity as soon as it is sent; its last byte still has to travel
  before,  // a flow takes capacity when its first byte has arrived, as in SimGrid
};

struct FlowConfig {
  // Spray is the fluid limit of many small packets: every switch splits a flow evenly over its equal ways. By
  // hash, a message keeps the way that it drew.
  topology::PathRule paths = topology::PathRule::spray;
  std::uint64_t seed = 1;

  // Payload over bytes on the wire. 1 is a wire without headers; 1448/1538 is TCP on Ethernet (40 bytes of
  // IP and TCP, 12 of timestamps, 38 of Ethernet), 1436/1500 NDP and RotorLB as in htsim.
  double efficiency = 1;

  Sharing sharing = Sharing::equal;
  Latency latency = Latency::after;

  // Links whose loads in a set of flows differ by less than this share of the largest load are taken for
  // alike, so that a million flows become a few classes. Exact as long as no link carries more than
  // 1/tolerance flows of a set; 0 is always exact.
  double tolerance = 0.005;

  // Links whose capacity changes with time: an index into `schedules` for every link, -1 for none. Empty if
  // no link does.
  std::vector<CapacitySchedule> schedules;
  std::vector<int> schedule_of_link;
};

// Throws UserError when a number makes no sense or `schedule_of_link` does not fit the graph.
void require_sound(const FlowConfig& config, const topology::Graph& graph);

}  // namespace overture::network::flow
