// How the flow-level backend shares the network. It is a fluid: no queues, no losses, no slow start. How far
// that is from packets, scenario by scenario: docs/reference/flow-backend.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "overture/network/connection_use.h"
#include "overture/network/flow/capacity.h"
#include "overture/network/flow/relay_fill.h"
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

// Traffic over two circuits, in a rotor network.
struct RelayConfig {
  std::vector<LinkRole> role_of_link;  // empty: nothing is relayed
  // The links of every host that relays: two that send, two that receive.
  struct Host {
    std::array<std::uint32_t, 2> out{};
    std::array<std::uint32_t, 2> in{};
  };
  std::vector<Host> hosts;
  Bandwidth most_each = Bandwidth::bits_per_second(0);  // of a flow, passed on by one host
  // A host accepts twice of a message what it can pass on in a cycle, `at_once`: the last byte of a message
  // larger than that waits so much longer.
  Bytes at_once;
  Duration wait{};
};

struct FlowConfig {
  // Spray is the fluid limit of many small packets: every switch splits a flow evenly over its equal ways. By
  // hash, a message keeps the way that it drew.
  topology::PathRule paths = topology::PathRule::spray;
  std::uint64_t seed = 1;

  // Payload over bytes on the wire. 1 is a wire without headers; 1448/1538 is TCP on Ethernet (40 bytes of
  // IP and TCP, 12 of timestamps, 38 of Ethernet), 1436/1500 NDP and RotorLB as in htsim.
  double efficiency = 1;

  // An exchange is carried as a whole. Exchanges of one pattern and group take turns, too; an exchange and
  // other messages of the same pairs share.
  ConnectionUse connections = ConnectionUse::per_pair;
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

  RelayConfig relay;
};

// Throws UserError when a number makes no sense or `schedule_of_link` does not fit the graph.
void require_sound(const FlowConfig& config, const topology::Graph& graph);

}  // namespace overture::network::flow
