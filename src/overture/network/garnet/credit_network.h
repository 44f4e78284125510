// Links with credits on any topology, flit by flit: the engine of ASTRA-sim's Garnet behind the Network
// interface, without what only Garnet does. Hosts' messages become packets, packets whole flits; nothing is
// lost and nothing is sent again.
//
// The engine keeps its own cycles; the shared queue holds a single event for it, and it runs ahead as far as
// nobody else has anything to do.
#pragma once

#include <memory>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/garnet/graph_fabric.h"
#include "overture/network/garnet/skipping_engine.h"
#include "overture/network/link_load.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"

namespace overture::network::garnet {

struct CreditNetworkConfig {
  Bytes flit{128};
  int buffer_flits = 8;  // of a virtual channel; fewer than a packet's make wormhole switching
  int channels = 16;     // virtual channels of a vnet
  Duration router_delay{};
  Bytes payload{512};  // most in a packet
  Bytes header{};      // of a packet
  topology::PathRule paths = topology::PathRule::by_destination;
  std::uint64_t seed = 1;
};

class CreditNetwork final : public Network {
 public:
  // `events` outlives the network. Throws UserError when the configuration cannot work.
  CreditNetwork(topology::Topology topology, const CreditNetworkConfig& config, sim::EventQueue& events);

  void watch(const MonitorConfig& config) override;
  NetworkRecord record() override;

  const GarnetStatistics& statistics() const { return engine_->statistics(); }
  Duration cycle() const { return timing_.cycle; }

 private:
  struct Carried {
    std::int64_t missing = 0;  // packets
    Bytes size;
    Action delivered;
  };
  // Packets that go the same way, as the engine sees them.
  struct Train {
    std::uint32_t message = 0;
    std::int64_t missing = 0;
  };

  void carry(const Message& message, Action delivered) override;
  topology::Pick pick(const Message& message);
  void depart(std::uint32_t number, const Message& message, const PacketCount& count);
  void arrived(std::int32_t train);
  Time start_of(Cycle cycle) const { return Time{timing_.cycle * cycle}; }
  void arm();
  void wake();
  void deliver();

  topology::Topology topology_;
  CreditNetworkConfig config_;
  GraphTiming timing_;
  GraphFabric* fabric_;  // the engine's
  std::unique_ptr<SkippingEngine> engine_;
  Pool<Carried> messages_;
  Pool<Train> trains_;
  std::vector<Action> done_;  // in the cycle that was run last
  std::vector<Action> delivering_;
  std::uint64_t drawn_ = 0;   // ways of packets so far
  Time armed_ = Time::max();  // the event that counts; earlier ones were overtaken
  Cycle running_ = 0;
  Cycle ran_ = kNone;  // the last cycle that was run
  LinkLoad load_;
  bool watched_ = false;
  Bytes delivered_;
  std::uint64_t digest_ = 0;
};

}  // namespace overture::network::garnet
