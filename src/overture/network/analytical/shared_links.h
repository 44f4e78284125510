// The analytical network with honest links: a message holds every directed link of its way for size /
// bandwidth, one message after the other, and cuts through from link to link. A ring has links to either side
// (half of them each way), a full mesh one bundle per pair, a switch one port per rank, up and down. Like the
// closed form it charges only the highest dimension that a message crosses.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/analytical/config.h"
#include "overture/network/link_load.h"

namespace overture::network {

class SharedLinks final : public Network {
 public:
  SharedLinks(const AnalyticalConfig& config, const topology::Hierarchy& machine, sim::EventQueue& events);

  void watch(const MonitorConfig& config) override;
  NetworkRecord record() override;

 private:
  void carry(const Message& message, Action delivered) override;

  struct Dimension {
    Duration hop;               // latency of one link
    Duration fixed;             // NICs and router, once per message
    double ps_per_byte;         // of one directed link
    Duration memory;            // the memory behind the NIC: a message takes at least this long ...
    double memory_ps_per_byte;  // ... plus this per byte
  };
  // A message on its way.
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
  void enter_link(std::uint32_t flight);
  // A directed link: that of port `port` of rank `owner`. On a ring port 0 goes to the next higher coordinate
  // and 1 to the next lower; on a full mesh it is the coordinate of the other end; at a switch 0 goes up to
  // it and 1 comes down.
  struct Port {
    Rank owner;
    int port;
  };
  Port next_port(const Flight& flight) const;
  std::uint64_t number(const Port& port, int dimension) const;
  int ports(int dimension) const;
  void name_links(int dimension);
  void note_use(const Flight& flight, const Port& port, Time start, Time end);
  Flight flight_of(const Message& message, Action delivered) const;

  topology::Hierarchy machine_;
  std::vector<Dimension> dimensions_;
  std::unordered_map<std::uint64_t, Time> free_at_;  // only links that were used; looked up, never iterated
  Pool<Flight> flights_;
  // All directed links, if they are watched.
  std::vector<NetworkRecord::Link> links_;
  std::unordered_map<std::uint64_t, int> link_of_number_;
  std::optional<LinkLoad> load_;
  Bytes delivered_;
};

}  // namespace overture::network
