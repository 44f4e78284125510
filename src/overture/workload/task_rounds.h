// Collectives as rounds of equal messages: in each round the ranks of a group exchange messages in one
// pattern, and the next begins when the last message of the one before has arrived. Says how many and how
// large; no clock, no network.
#pragma once

#include <cstdint>

#include "overture/base/units.h"
#include "overture/network/exchange.h"

namespace overture::workload {

enum class AllReduce : std::uint8_t {
  ring,
  parameter_server,              // everything to the first rank and back
  distributed_parameter_server,  // every rank serves a share: everybody to everybody, twice
};

struct Rounds {
  network::Pattern first = network::Pattern::ring;   // of the first half of the rounds
  network::Pattern second = network::Pattern::ring;  // of the others
  int count = 0;
  Bytes each;
  Duration delay{};  // before the first round

  network::Pattern pattern(int round) const { return 2 * round < count ? first : second; }
  friend bool operator==(const Rounds&, const Rounds&) = default;
};

// How an all-reduce is cut into messages. The defaults are what a real library does.
struct AllReduceRules {
  // Messages are rounded down to size / ranks, what is left over is never sent.
  bool drop_remainder = false;
  // A ring whose messages would be shorter than this is one round only, with all bytes that a rank would
  // send, divided once more by the number of ranks. 0: never.
  Bytes end_ring_early_below{};
  // Shorter messages are sent as this much.
  Bytes smallest_message{1};
};

// No rounds for fewer than two ranks.
Rounds all_reduce(AllReduce algorithm, Bytes size, int ranks, const AllReduceRules& rules);

// What all ranks together send.
Bytes traffic(const Rounds& rounds, int ranks);

}  // namespace overture::workload
