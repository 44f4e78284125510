// Matchings of ToRs, as a rotor switch shows them one after the other, and sets of them in which every pair
// of ToRs meets exactly once. Knows nothing of rotors or of time; that is opera.h.
#pragma once

#include <vector>

#include "overture/base/random.h"

namespace overture::topology {

// matching[i] is the ToR that ToR i faces, and faces it in turn. A ToR that faces itself has no link.
using Matching = std::vector<int>;

// `tors` matchings of as many ToRs: every ordered pair is in exactly one, and so is every ToR with itself.
// Even numbers: the circle method and the identity; odd ones: i faces c - i.
std::vector<Matching> circle_matchings(int tors);

// Makes the set random and keeps what it promises: two matchings at a time exchange some of the components
// of their union (Kempe swaps), each with probability 1/2.
void mix(std::vector<Matching>& matchings, int swaps, RandomStream& random);

// Whether `matchings` are involutions in which every ordered pair, (i, i) included, occurs exactly once.
bool meets_every_pair_once(const std::vector<Matching>& matchings);

}  // namespace overture::topology
