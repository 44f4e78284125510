// Turns what a host is to send in a slot into the order in which it does: every allocation sends at an even
// pace of its own, and the slot's turns go to whoever is due first. A turn that nobody is due for stays
// empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/network/rotor/rotor_lb.h"

namespace overture::network::rotor {

// A packet that leaves in one of the slot's turns.
struct Committed {
  std::uint32_t message = 0;
  std::int32_t via = 0;
  std::int32_t turn = 0;
  bool relayed = false;   // `via` is not its destination
  std::uint32_t run = 0;  // packets with the same number, counted from 0, are of one message and way
};

class Committer {
 public:
  // A slot has `turns` turns of `turn_time`; `queues` outlives the committer.
  Committer(Duration slot, Duration turn_time, int turns, BulkQueues& queues);

  // Takes the packets from the queues of `host` and appends them to `out`, turn by turn. Allocations of more
  // than a queue holds get what there is.
  // Returns how many runs they form.
  std::uint32_t commit(int host, std::span<const Allocation> allocations, std::vector<Committed>& out);

 private:
  struct Due {
    double when;
    std::uint32_t allocation;
  };
  // What an allocation has taken from its queue and not sent yet.
  struct Source {
    std::size_t next = 0;  // of taken_
    std::size_t end = 0;
    std::uint32_t run = kNoRun;
    std::uint32_t message = 0;
  };
  static constexpr std::uint32_t kNoRun = ~std::uint32_t{0};

  void order(std::span<const Allocation> allocations);
  void take(int host, std::span<const Allocation> allocations);
  bool next_packet(int host, const Allocation& allocation, Source& source, std::uint32_t& runs);
  void give_back(int host);

  double slot_;
  double turn_time_;
  int turns_;
  BulkQueues& queues_;
  std::vector<std::uint32_t> first_;  // per turn, the first of due_
  std::vector<Due> due_;              // sorted
  std::vector<Source> sources_;       // per allocation
  std::vector<BulkQueues::Taken> taken_;
};

}  // namespace overture::network::rotor
