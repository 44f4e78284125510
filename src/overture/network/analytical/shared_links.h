// The analytical network with honest links: a message holds every directed link of its way for size /
// bandwidth, one message after the other, and cuts through from link to link. A ring has links to either side
// (half of them each way), a full mesh one bundle per pair, a switch one port per rank, up and down. Like the
// closed form it charges only the highest dimension that a message crosses.
#pragma once

#include <unordered_map>

#include "overture/network/analytical/config.h"

namespace overture::network {

class SharedLinks final : public Network {
 public:
  SharedLinks(const AnalyticalConfig& config, const topology::Hierarchy& machine, sim::EventQueue& events);

  void send(const Message& message, Action delivered) override;

 private:
  struct Dimension {
    Duration hop;               // latency of one link
    Duration fixed;             // NICs and router, once per message
    double ps_per_byte;         // of one directed link
    Duration memory;            // the memory behind the NIC: a message takes at least this long ...
    double memory_ps_per_byte;  // ... plus this per byte
  };
  // A message on its way; kept in a pool so that events carry an index.
  struct Flight {
    Message message;
    Action delivered;
    Time earliest;  // delivery the memory allows
    int dimension = 0;
    int hops_left = 0;
    Rank at{};
    bool ascending = true;  // on a ring: towards higher coordinates
  };

  // The head of the message has reached the next link of its way.
  void enter_link(std::int32_t flight);
  std::uint64_t next_link(const Flight& flight) const;
  std::int32_t new_flight(const Message& message, Action delivered);

  const topology::Hierarchy& machine_;  // outlives the network
  sim::EventQueue& events_;             // outlives the network
  std::vector<Dimension> dimensions_;
  std::unordered_map<std::uint64_t, Time> free_at_;  // only links that were used; looked up, never iterated
  std::vector<Flight> flights_;
  std::vector<std::int32_t> unused_flights_;
};

}  // namespace overture::network
