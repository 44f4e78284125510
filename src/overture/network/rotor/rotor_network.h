// A network of rotor switches as a Network: Opera, or RotorNet when everything is bulk. Bulk traffic alone is
// played slice by slice; if low-latency messages may come, packet by packet.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "overture/network/network.h"
#include "overture/network/rotor/bulk_engine.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/lost_messages.h"
#include "overture/network/rotor/packet_engine.h"
#include "overture/network/rotor/rotor_faults.h"
#include "overture/sim/event_queue.h"
#include "overture/topology/opera.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {

class RotorNetwork final : public Network {
 public:
  // `events` outlives the network. Low-latency packets take `paths`, or else one shortest path for every
  // pair of racks and slice. Throws UserError when the configuration cannot work.
  RotorNetwork(topology::Opera opera, const RotorConfig& config, sim::EventQueue& events,
               std::optional<topology::OperaPaths> paths = std::nullopt, const Faults& faults = {});

  // At first once a slice, whatever the interval says. What waits at a host for circuits stands in the queue
  // of the host's link.
  void watch(const MonitorConfig& config) override;
  NetworkRecord record() override;

  RotorStatistics statistics() const;
  std::uint64_t digest() const;
  const topology::Opera& opera() const { return opera_; }

 private:
  void carry(const Message& message, Action delivered) override;
  void arm();
  void play_slice();
  void run_packets();
  bool waits_for_something();

  topology::Opera opera_;
  Bandwidth rate_;
  std::optional<topology::OperaPaths> paths_;
  std::unique_ptr<RotorFaults> faults_;  // if a part of the network ever fails
  LostMessages lost_;
  std::unique_ptr<BulkEngine> bulk_;       // one of
  std::unique_ptr<PacketEngine> packets_;  // the two
  std::vector<Action> delivered_;          // by message
  std::vector<Finished> done_;             // being delivered
  std::int64_t last_slice_ = -1;           // played
  std::optional<LinkLoad> load_;           // if links are watched
  Time armed_ = Time::max();               // the event that counts; earlier ones were overtaken
};

}  // namespace overture::network::rotor
