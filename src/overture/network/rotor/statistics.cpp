#include "overture/network/rotor/statistics.h"

namespace overture::network::rotor {

std::vector<NetworkRecord::Counter> counters(const RotorStatistics& of) {
  return {{"slices", of.slices},
          {"bulk_packets", of.bulk_delivered},
          {"bulk_packets_relayed", of.bulk_relayed},
          {"bulk_packets_returned", of.bulk_returned},
          {"bulk_packets_in_rack", of.bulk_in_rack},
          {"low_latency_packets", of.low_delivered},
          {"low_latency_hops", of.low_hops},
          {"trims", of.trims},
          {"bounces", of.bounces},
          {"lost", of.lost},
          {"overflows", of.overflows},
          {"timeouts", of.timeouts},
          {"retransmissions", of.retransmissions},
          {"memory", of.memory}};
}

}  // namespace overture::network::rotor
