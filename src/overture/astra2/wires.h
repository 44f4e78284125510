// The two networks of ASTRA-sim 2's analytical backend. Unaware of congestion: a message takes floor(hops x
// latency + size / bandwidth) of the first dimension in which its ends differ, whatever else is under way.
// Aware: one dimension of links, each a FIFO of whole messages that are stored and forwarded hop by hop.
// Times are whole nanoseconds; events of one time keep the original's order.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "overture/astra2/config.h"
#include "overture/base/pool.h"
#include "overture/network/network.h"

namespace overture::astra2 {

// `events` outlives the network. An aware one has a single dimension: the reader refuses others.
std::unique_ptr<network::Network> make_wires(const NetworkFile& network, sim::EventQueue& events);

class UnawareWires final : public network::Network {
 public:
  UnawareWires(const NetworkFile& network, sim::EventQueue& events);
  network::NetworkRecord record() override;

 private:
  void carry(const network::Message& message, Action delivered) override;

  NetworkFile network_;
  std::vector<Bytes> carried_;  // by dimension
  Bytes delivered_;
};

class AwareWires final : public network::Network {
 public:
  AwareWires(const NetworkFile& network, sim::EventQueue& events);
  network::NetworkRecord record() override;

 private:
  struct Link {
    int from = 0;
    int to = 0;
    bool busy = false;
    std::deque<std::uint32_t> waiting;
    Bytes queued;
    network::LinkRecord total;
  };
  struct Flight {
    Action delivered;
    Bytes size;
    int at = 0;
    int to = 0;
    int step = 0;  // of a ring: +1 or -1
  };

  void carry(const network::Message& message, Action delivered) override;
  void enter(std::uint32_t flight);
  void transmit(std::uint32_t link, std::uint32_t flight);
  void arrived(std::uint32_t flight);
  void became_free(std::uint32_t link);
  int next_hop(const Flight& flight) const;
  std::uint32_t link(int from, int to);

  Dimension dimension_;
  std::vector<Link> links_;
  std::unordered_map<std::uint64_t, std::uint32_t> link_of_;  // only looked up
  Pool<Flight> flights_;
  Bytes delivered_;
};

}  // namespace overture::astra2
