// A rotor network packet by packet: low-latency traffic over the paths of the slice, bulk by RotorLB, both on
// the same NICs, ToR queues and circuits. Dearer than bulk_engine.h, which is for bulk alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/link_load.h"
#include "overture/network/rotor/bulk_queues.h"
#include "overture/network/rotor/commit.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/event_lanes.h"
#include "overture/network/rotor/link_numbers.h"
#include "overture/network/rotor/low_latency.h"
#include "overture/network/rotor/nic.h"
#include "overture/network/rotor/rotor_faults.h"
#include "overture/network/rotor/rotor_lb.h"
#include "overture/network/rotor/statistics.h"
#include "overture/network/rotor/tor_queue.h"
#include "overture/topology/opera.h"
#include "overture/topology/opera_paths.h"

namespace overture::network::rotor {

class PacketEngine {
 public:
  // `opera` and `paths` outlive the engine. Throws UserError when the configuration cannot work or ToRs have
  // no path in some slice.
  PacketEngine(const topology::Opera& opera, const topology::OperaPaths& paths, const RotorConfig& config);

  // Before the first message; they outlive the engine.
  void set_faults(RotorFaults& faults);

  // A message that starts at `when`, which is not before now(). Returns a name that is the caller's until
  // the message is finished.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  bool is_low_latency(std::int64_t bytes) const { return Bytes{bytes} < config_.bulk_from; }
  // Runs what is due by `limit` (ps).
  void run(std::int64_t limit);

  std::int64_t now() const { return now_; }
  std::int64_t next_time() const { return events_.next_time(); }
  std::uint64_t outstanding() const { return outstanding_; }
  // Messages that finished, by the name post() gave them, since it was last cleared.
  std::vector<Finished>& finished() { return finished_; }

  RotorStatistics statistics() const;
  // Packets at their destination so far.
  std::uint64_t packets_delivered() const { return counts_.bulk_delivered + low_.counts().low_delivered; }
  std::uint64_t digest() const { return digest_; }
  // Notes what the links carry and what stands in front of them; `load` outlives the engine.
  void watch(LinkLoad& load) { load_ = &load; }

 private:
  // Ties run in this order: what starts is seen by a slice that begins, a slice by the packets of its first
  // moment, and packets from circuits stand in queues before those of the own rack, as in bulk_engine.h. A
  // low-latency packet that lands as a port becomes free finds room there if it follows another one on its
  // wire, and else comes too early: in opera-htsim, what was scheduled first goes first.
  enum class What : std::uint8_t {
    start,
    slot_end,
    slice,
    landing,
    port,
    next_landing,
    nic,
    pacer,
    timer,
    resend
  };
  struct Start {
    int from = 0;
    int to = 0;
    std::int64_t bytes = 0;
  };
  struct InFlight {
    std::int64_t lands;
    RotorPacket packet;
  };

  void require_paths() const;
  void push(What what, std::int64_t when, std::uint32_t id, std::uint32_t tie = 0);
  void dispatch(What what, std::uint32_t id);

  void start(std::uint32_t name);
  void begin_slice();
  void end_slot(std::uint32_t rotor);
  void arm_slice();
  void nic_done(int host);
  void kick_nic(int host);
  void label(RotorPacket& packet, int tor);
  void enter(int tor, const RotorPacket& packet);
  void to_port(int tor, int port, const RotorPacket& packet);
  void note_queue(int tor, int port);
  void note_waiting();
  void bounce(int tor, RotorPacket packet);
  void kick_port(int tor, int port);
  void port_done(std::uint32_t id);
  void leave(int tor, int port, const RotorPacket& packet);
  void land(std::uint32_t id);
  void give_back(const RotorPacket& packet);
  void arrive(const RotorPacket& packet);
  void low_latency_did();
  // In packet_faults.cpp.
  void time_out(std::uint32_t id);
  bool waits_for_path(std::uint32_t id);
  void follow_faults();
  void find_ways_around();
  bool loses(const RotorPacket& packet, RotorFaults::Trip trip);
  void resend(std::uint32_t id);
  void pass_on(int host, std::uint32_t message);
  void finish(std::uint32_t name);

  // Nearly all packets have one of two sizes.
  std::int64_t time_of(std::uint16_t size) const {
    if (size == packet_size_) return packet_time_;
    if (size == limits_.header) return control_time_;
    return transfer_time(Bytes{size}, config_.rate).count();
  }
  int ports() const { return opera_.hosts_per_tor() + opera_.uplinks(); }
  std::uint32_t port_id(int tor, int port) const { return static_cast<std::uint32_t>(tor * ports() + port); }
  int slice_now();
  int peer_now(int tor, int uplink);

  const topology::Opera& opera_;
  const topology::OperaPaths& paths_;
  const topology::OperaPaths* ways_now_ = &paths_;  // those, or others around what is down
  RotorConfig config_;
  BulkQueues queues_;
  RotorLb scheduler_;
  int turns_;
  std::int64_t slice_time_;
  std::uint16_t packet_size_;
  std::int64_t packet_time_;
  std::int64_t control_time_;
  Committer committer_;
  LowLatency low_;
  std::vector<RotorNic> nics_;
  TorQueue::Limits limits_;
  std::vector<TorQueue> port_queues_;        // [tor][port]
  std::vector<std::deque<InFlight>> wires_;  // [rotor][tor]
  RandomStream coins_;
  RandomStream ways_;
  EventLanes events_;
  std::int64_t now_ = 0;
  std::int64_t slice_begin_ = 0;  // of the slice that was looked at last
  int slice_ = 0;
  bool paths_required_ = false;   // a low-latency message came, and found them
  std::int64_t last_slice_ = -1;  // played
  bool slice_armed_ = false;
  std::uint64_t bulk_outstanding_ = 0;
  std::uint64_t outstanding_ = 0;
  Pool<Start> starts_;                     // per name
  std::vector<std::uint32_t> bulk_names_;  // per bulk message
  std::vector<std::uint32_t> low_names_;   // per low-latency message
  std::vector<Finished> finished_;
  std::uint64_t digest_ = 0;
  RotorStatistics counts_;
  LinkNumbers links_{opera_};
  LinkLoad* load_ = nullptr;
  RotorFaults* faults_ = nullptr;
  std::optional<topology::OperaPaths> around_;
  Pool<RotorPacket> lost_;  // bulk, until it is sent again
};

}  // namespace overture::network::rotor
