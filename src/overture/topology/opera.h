// Opera's network of rotor switches (Mellette et al., NSDI 2020): which ToR faces which one when. Uplink j of
// every ToR goes to rotor j; rotors show their matchings in turn, and one at a time goes dark to change. Says
// nothing of traffic; the paths of low-latency packets are in opera_paths.h.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/units.h"
#include "overture/topology/matching.h"

namespace overture::topology {

// The three parts of a slice: all rotors are up; nothing new is sent into the rotor that is about to change;
// that rotor is dark.
struct OperaTiming {
  Duration stable{};
  Duration drain{};
  Duration dark{};

  Duration slice() const { return stable + drain + dark; }
  friend bool operator==(const OperaTiming&, const OperaTiming&) = default;
};

// A moment of the cycle: slice, and part 0, 1 or 2 of it.
struct OperaMoment {
  int slice = 0;
  int part = 0;
};

class Opera {
 public:
  // `rotors` holds the matchings of every rotor, all the same number, in their order. Throws UserError when
  // some pair of ToRs does not meet exactly once a cycle or the timing cannot work.
  Opera(int hosts_per_tor, std::vector<std::vector<Matching>> rotors, const OperaTiming& timing);

  int tors() const { return tors_; }
  int hosts_per_tor() const { return hosts_per_tor_; }
  int hosts() const { return tors_ * hosts_per_tor_; }
  int uplinks() const { return uplinks_; }
  int slices() const { return tors_; }  // in a cycle
  const OperaTiming& timing() const { return timing_; }
  Duration cycle() const { return timing_.slice() * slices(); }

  int tor_of(int host) const { return host / hosts_per_tor_; }

  // The ToR behind an uplink of `tor` in `slice`; before the rotor goes dark, if it is the one that does.
  int peer(int slice, int tor, int uplink) const {
    return peers_[(static_cast<std::size_t>(slice) * static_cast<std::size_t>(uplinks_) +
                   static_cast<std::size_t>(uplink)) *
                      static_cast<std::size_t>(tors_) +
                  static_cast<std::size_t>(tor)];
  }
  // The rotor that goes dark at the end of `slice`, and shows its next matching from the next one on.
  int dark_rotor(int slice) const { return (slice + 1) % uplinks_; }
  // The rotor that has just come up as `slice` begins.
  int fresh_rotor(int slice) const { return slice % uplinks_; }

  OperaMoment at(Time when) const;
  // The ToR behind an uplink at a time, or -1 in the dark.
  int peer_at(Time when, int tor, int uplink) const;
  // How long a matching lasts from when its rotor comes up until it is to drain: RotorLB's slot.
  Duration slot() const { return timing_.slice() * (uplinks_ - 1) + timing_.stable; }

  friend bool operator==(const Opera&, const Opera&) = default;

 private:
  int tors_;
  int hosts_per_tor_;
  int uplinks_;
  OperaTiming timing_;
  std::vector<std::int32_t> peers_;  // [slice][uplink][tor]
};

struct OperaConfig {
  int tors = 4;
  int ports = 8;  // of a ToR: half to hosts, half to rotors
  std::uint64_t seed = 1;
  int draws = 20;  // the best is kept: fewest hops at worst, then on average
  Bandwidth rate = Bandwidth::bits_per_second(100'000'000'000);
  Duration wire = std::chrono::nanoseconds(500);  // ToR to ToR: 100 m of fibre
  Duration dark = std::chrono::microseconds(10);  // a rotor's change
  int queue_packets = 8;                          // that a low-latency packet may meet at each hop
  Bytes packet{1500};
  Duration slice{};  // 0: as short as the worst path allows (opera_timing)
  // There is a path between all ToRs at any time, while one rotor is dark. Low-latency traffic needs it;
  // RotorNet, where everything waits for circuits, does not.
  bool connected = true;
};

// Worst and mean hops over all slices and pairs of ToRs, without the rotor that goes dark.
struct HopCount {
  int worst = 0;
  double mean = 0;
  bool connected = false;
};
HopCount count_hops(const Opera& opera);

// How long the parts must be so that no packet on a path of `worst_hops` meets the dark:
// stable = (hops-1) * (wire + queue) + (queue - 1 packet), drain = wire + a packet.
OperaTiming opera_timing(const OperaConfig& config, int worst_hops);

// Throws UserError when `tors` and `ports` admit no schedule or the slice is too short. Builds nothing.
void require_sound(const OperaConfig& config);

// Draws matchings at random and assigns them to rotors, several times, and keeps the best. Throws UserError
// as require_sound() does.
Opera generate_opera(const OperaConfig& config);

}  // namespace overture::topology
