// Numbers for the one-way links of a rotor network: of hosts to their ToRs and back, of ToRs to rotors and
// back.
#pragma once

#include "overture/network/record.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

class LinkNumbers {
 public:
  LinkNumbers() = default;
  explicit LinkNumbers(const topology::Opera& opera)
      : hosts_(opera.hosts()), tors_(opera.tors()), rotors_(opera.uplinks()) {}

  int count() const { return 2 * (hosts_ + tors_ * rotors_); }
  int from_host(int host) const { return host; }
  int to_host(int host) const { return hosts_ + host; }
  int to_rotor(int tor, int rotor) const { return 2 * hosts_ + tor * rotors_ + rotor; }
  int from_rotor(int rotor, int tor) const { return 2 * hosts_ + (tors_ + tor) * rotors_ + rotor; }

 private:
  int hosts_ = 0;
  int tors_ = 0;
  int rotors_ = 0;
};

// The links by their numbers, with names, tiers and the rate of all; and what goes up to each rotor as a
// group.
NetworkRecord named_links(const topology::Opera& opera, Bandwidth rate);

}  // namespace overture::network::rotor
