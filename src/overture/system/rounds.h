// All-reduces as rounds of equal messages: in each round the ranks of a group exchange messages in one
// pattern, and the next begins when the last message of the one before has arrived. Says how many and how
// large; no clock, no network.
#pragma once

#include "overture/base/units.h"
#include "overture/network/exchange.h"
#include "overture/system/config.h"

namespace overture::system {

struct Rounds {
  network::Pattern first = network::Pattern::ring;   // of the first half of the rounds
  network::Pattern second = network::Pattern::ring;  // of the others
  int count = 0;
  Bytes each;

  network::Pattern pattern(int round) const { return 2 * round < count ? first : second; }
  friend bool operator==(const Rounds&, const Rounds&) = default;
};

// An all-reduce by an algorithm that is played in rounds. No rounds for fewer than two ranks.
Rounds make_rounds(AlgorithmKind algorithm, Bytes size, int ranks, const RoundRules& rules);

// What all ranks together send.
Bytes traffic(const Rounds& rounds, int ranks);

}  // namespace overture::system
