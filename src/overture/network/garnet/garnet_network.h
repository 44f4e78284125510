// Messages over the engine's flits: a backend behind the Network interface. A message goes on the vnet that
// its lane says; the engine runs in the cycles in which it has something to do, after everything else that is
// due then.
#pragma once

#include "overture/network/garnet/engine.h"
#include "overture/network/garnet/streams.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"

namespace overture::network::garnet {

class GarnetNetwork final : public Network {
 public:
  // `events` outlives the network.
  GarnetNetwork(const GarnetConfig& config, sim::EventQueue& events);

  void rank_acts(Rank rank) override;

  // Links between routers, which are named after their ranks (h0) or switches (s0). Queues are not modelled
  // as such: flits wait in virtual channels.
  void watch(const MonitorConfig& config) override;
  NetworkRecord record() override;

  const GarnetStatistics& statistics() const { return engine_->statistics(); }
  std::size_t under_way() const { return streams_.under_way(); }

 private:
  void carry(const Message& message, Action delivered) override;
  std::size_t tier_of(const Channel& channel) const;
  // The cycle that the present belongs to, which the engine has not run yet.
  void stand_at_present();
  void arm();
  void run(Cycle cycle);

  GarnetConfig config_;
  std::unique_ptr<GarnetEngine> engine_;
  Streams streams_;
  Cycle armed_ = kNone;  // the earliest cycle for which an event is pending
  Cycle done_ = kNone;   // the last cycle that was run
  LinkLoad load_;
  std::vector<NetworkRecord::Link> links_;  // if they are watched
  Bytes delivered_;
};

}  // namespace overture::network::garnet
