// A host's link to its ToR: control packets first, then what is sent again, then new low-latency data, then
// the bulk that was committed to rotors, which takes turns. Low-latency packets take turns away: bulk first
// catches up in turns that are empty, and what then cannot leave in time goes back to where it waited. No
// clock: the engine asks what to send next.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "overture/network/rotor/commit.h"
#include "overture/network/rotor/packet.h"

namespace overture::network::rotor {

class RotorNic {
 public:
  // `queues` outlives the NIC.
  RotorNic(int host, int rotors, std::uint16_t packet_size, BulkQueues& queues);

  void push(const RotorPacket& packet);
  // What the host committed to a rotor's slot of so many turns.
  void commit(int rotor, std::vector<Committed> packets, int turns);
  // The rotor's slot has ended: what is left goes back.
  void clear(int rotor);

  bool busy() const { return busy_; }
  bool empty() const { return bulk_left_ == 0 && urgent_empty(); }
  int rotor() const { return rotor_; }  // whose turn is next

  // Starts to send the next packet, or to spend a turn on none; the NIC is not empty. Returns the size.
  std::uint16_t begin();
  // That has left. No packet: the turn was empty.
  std::optional<RotorPacket> finish();

 private:
  static constexpr int kUrgent = 3;  // classes before bulk

  struct Slot {
    std::vector<Committed> packets;
    std::size_t next = 0;
    std::size_t end = 0;  // of packets
    int turn = 0;         // the next one
    int turns = 0;        // left
  };

  bool urgent_empty() const;
  std::optional<RotorPacket> pull();
  std::optional<RotorPacket> take_turn(Slot& slot);
  void count_urgent(std::uint16_t size);
  void push_back(int turns);
  void advance() { rotor_ = (rotor_ + 1) % static_cast<int>(slots_.size()); }

  int host_;
  std::uint16_t packet_size_;
  BulkQueues& queues_;
  std::deque<RotorPacket> urgent_[kUrgent];
  std::vector<Slot> slots_;  // per rotor
  int bulk_left_ = 0;        // turns of all slots
  int rotor_ = 0;
  int back_ = 0;   // the rotor that gives up a turn next
  int skips_ = 0;  // turns that low-latency packets took
  std::int64_t urgent_bytes_ = 0;
  int serving_ = kUrgent;
  bool busy_ = false;
};

}  // namespace overture::network::rotor
