// A rotor network with bulk traffic alone, slice by slice. Nothing disturbs the plan that RotorLB makes when
// a rotor comes up, so when each packet leaves its host, its ToR and the receiver's ToR follows by
// arithmetic: the queues are FIFOs whose arrivals are known. No event, and no packet but an entry in a list.
//
// packet_engine.h does the same packet by packet and lets low-latency traffic share the links; a test holds
// the two together, picosecond by picosecond.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/link_load.h"
#include "overture/network/rotor/bulk_queues.h"
#include "overture/network/rotor/commit.h"
#include "overture/network/rotor/config.h"
#include "overture/network/rotor/link_numbers.h"
#include "overture/network/rotor/rotor_lb.h"
#include "overture/network/rotor/statistics.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

class BulkEngine {
 public:
  // `opera` outlives the engine.
  BulkEngine(const topology::Opera& opera, const RotorConfig& config);

  // Before the first message; they outlive the engine.
  void set_faults(RotorFaults& faults) {
    faults_ = &faults;
    scheduler_.set_faults(faults);
  }

  // A message that starts before the next slice that is played. Returns its index, which is used again once
  // the message is finished.
  std::uint32_t post(int from, int to, std::int64_t bytes);
  static bool is_low_latency(std::int64_t /*bytes*/) { return false; }

  // Plays slice number `slice`, counted from time 0 and later than the last one played: plans, and delivers
  // all that arrives before the slice ends. Slices may be left out while nothing is outstanding.
  void play(std::int64_t slice);

  std::uint64_t outstanding() const { return outstanding_; }
  // Messages that finished, in no particular order, since it was last cleared.
  std::vector<Finished>& finished() { return finished_; }

  RotorStatistics statistics() const;
  // Packets at their destination so far.
  std::uint64_t packets_delivered() const { return counts_.bulk_delivered; }
  std::uint64_t digest() const { return digest_; }
  // Notes what the links carry and what stands in front of them; `load` outlives the engine.
  void watch(LinkLoad& load) { load_ = &load; }

 private:
  // A packet on its way to a host's downlink. Packets of a message that go the same way in the same slot are
  // counted with the last of them, `packets` at once: only then something can happen.
  struct Arrival {
    std::int64_t when;
    std::uint32_t message;
    std::uint32_t packets;
  };
  // What comes to a host through one rotor, or from its own rack in that rotor's turns; sorted.
  struct Stream {
    std::vector<Arrival> arrivals;
    std::size_t next = 0;
    bool empty() const { return next == arrivals.size(); }
    std::int64_t when() const { return arrivals[next].when; }
  };
  // The stream's arrivals while they are merged.
  struct Head {
    const Arrival* next;
    const Arrival* end;
    int stream;
  };
  struct Downlink {
    std::int64_t free_at = 0;
    std::vector<Stream> streams;  // per rotor, then per rotor from the own rack
    std::uint64_t busy = 0;       // a bit per stream that is not empty
  };
  struct NicClock {
    std::int64_t tick = 0;       // some turn
    std::int64_t last_turn = 0;  // after it, the NIC stands still
    int rotor = 0;               // whose turn `tick` was
  };
  struct Return {
    std::int64_t when;
    std::uint32_t message;
    std::int32_t host;
  };
  // What one host sends in this slot.
  struct Sender {
    std::int64_t first_turn = 0;
    int host = 0;
    std::vector<Committed> packets;
    std::size_t next = 0;
    std::uint32_t first_run = 0;
  };
  // Packets of one message and way in the slot of a rack: how many landed, and the last of them.
  struct Run {
    std::int32_t host = 0;
    std::int32_t stream = 0;
    std::uint32_t packets = 0;
    std::size_t last = 0;
  };

  void send_rack(int tor, int rotor, std::int64_t start);
  std::int64_t first_turn(NicClock& nic, int rotor, std::int64_t start) const;
  void up(int tor, int rotor, const Sender& sender, const Committed& packet, std::int64_t dark_at);
  void arrive(int host, int stream, std::int64_t when, const Committed& packet, Run& run);
  void count_runs();
  void deliver(int host, std::int64_t until);
  void receive(int host, const Arrival& arrival, std::int64_t when);
  void give_back(std::int64_t until);
  // In bulk_faults.cpp.
  void follow_faults(std::int64_t now);
  bool loses(const Sender& sender, const Committed& packet, int rotor, std::int64_t left,
             std::int64_t landed);
  void park(int host, std::uint32_t message);
  // What a packet that waits so long found before it, one that is being sent as a whole.
  std::int64_t bytes_before(std::int64_t wait) const {
    return (wait + packet_time_ - 1) / packet_time_ * config_.packet.count();
  }
  void note_waiting(std::int64_t start);
  void note_up(int tor, int rotor, const Sender& sender, const Committed& packet, std::int64_t when,
               std::int64_t left, bool lands);

  const topology::Opera& opera_;
  RotorConfig config_;
  BulkQueues queues_;
  RotorLb scheduler_;
  RotorFaults* faults_ = nullptr;
  int turns_;
  std::int64_t packet_time_;
  std::int64_t slice_time_;
  Committer committer_;
  std::vector<NicClock> nics_;
  std::vector<std::int64_t> uplink_free_;  // [tor][rotor]
  std::vector<Downlink> downlinks_;
  std::vector<Sender> senders_;
  std::vector<Sender*> order_;
  std::vector<Run> runs_;
  std::vector<Head> heads_;
  std::vector<Return> returns_;
  std::vector<Finished> finished_;
  std::uint64_t outstanding_ = 0;
  std::uint64_t digest_ = 0;
  std::vector<std::int64_t> bytes_;  // per message
  RotorStatistics counts_;
  LinkNumbers links_{opera_};
  LinkLoad* load_ = nullptr;
};

}  // namespace overture::network::rotor
