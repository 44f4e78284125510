// What a rotor network counts, whichever engine carried the packets.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/record.h"

namespace overture::network::rotor {

struct RotorStatistics {
  std::uint64_t slices = 0;          // planned
  std::uint64_t bulk_delivered = 0;  // packets at their destination
  std::uint64_t bulk_relayed = 0;    // packets at a host that sends them on
  std::uint64_t bulk_returned = 0;   // packets that came too late for their circuit and went back
  std::uint64_t bulk_in_rack = 0;    // packets delivered without a circuit
  std::uint64_t low_delivered = 0;   // low-latency packets that brought something new
  std::uint64_t low_hops = 0;        // low-latency data packets over a circuit
  std::uint64_t trims = 0;           // data packets that lost their payload in a full queue
  std::uint64_t bounces = 0;         // headers returned to their sender by a full queue
  std::uint64_t lost = 0;            // low-latency packets, of any kind, in a dark rotor or at a wrong rack
  std::uint64_t overflows = 0;       // control packets that a full queue dropped
  std::uint64_t timeouts = 0;
  std::uint64_t retransmissions = 0;
  Bytes delivered;           // payload of finished messages
  std::uint64_t memory = 0;  // bytes of queues and packets
};

std::vector<NetworkRecord::Counter> counters(const RotorStatistics& of);

// A message that has arrived as a whole.
struct Finished {
  std::uint32_t message = 0;
  std::int64_t when = 0;  // ps
};

}  // namespace overture::network::rotor
