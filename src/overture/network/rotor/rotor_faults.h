// What faults do to a network of rotors: which uplinks, ToRs, rotors and hosts are down when, and since when
// everybody knows. As in the Opera paper (NSDI 2020, on fault tolerance), ToRs notice a dead circuit by the
// greetings that do not come over it, tell the others over the next circuits, so that all know within two
// cycles, and then leave it out: low-latency paths go around it, and bulk goes over a third rack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/network/faults.h"
#include "overture/network/record.h"
#include "overture/network/undeliverable.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

// Of packets; beside RotorStatistics, which are what a network without faults counts.
struct RotorFaultCounts {
  std::uint64_t lost = 0;  // by parts that were down, or cables that lose packets
  std::uint64_t corrupted = 0;
  std::uint64_t reroutes = 0;  // bulk packets that their source sends again, since the way on was gone
};

class RotorFaults final : public LastPaths {
 public:
  // `opera` outlives it. Throws UserError when the faults name what it does not have.
  RotorFaults(const Faults& faults, const topology::Opera& opera);

  // ---- what is so

  // A packet's way over a circuit, or within a rack: then the rotor is -1. Times in ps.
  struct Trip {
    int from = -1;  // hosts; -1: the packet comes from another ToR, or goes on to one
    int to = -1;
    int from_tor = -1;  // only where there is no host
    int to_tor = -1;
    int rotor = -1;
    std::int64_t left = 0;
    std::int64_t landed = 0;
    std::int64_t size = 0;
  };
  // Does it get through? If not, it is counted as lost.
  bool passes(const Trip& trip);

  // ---- what is known

  // Brings what is known up to `now`; true if it changed.
  bool update(std::int64_t now);
  // Are two ToRs known to meet, over a circuit that works? A ToR meets itself if it is up.
  bool open(int from, int to) const { return open_[pair(from, to)]; }
  bool is_host_known_up(int host) const { return known_up_[host_at(host)]; }
  bool is_uplink_known_up(int tor, int rotor) const;
  // Until what a circuit lost is sent again.
  std::int64_t detection() const { return detection_; }

  // ---- in the end

  // Does an uplink work once nothing changes any more?
  bool stays_up(int tor, int rotor) const;
  std::int64_t settled() const override { return settled_; }
  bool cut_off(int from, int to) override;
  std::string reason(int from, int to) override;

  int parts() const { return parts_; }
  const RotorFaultCounts& counts() const { return counts_; }
  void count_reroute() { ++counts_.reroutes; }

 private:
  struct Window {
    std::int64_t from = 0;
    std::int64_t until = 0;
  };
  struct Losing {
    Window window;
    double loss = 0;
    double bit_errors = 0;
  };
  using Part = std::size_t;  // hosts, then ToRs, then rotors, then uplinks ToR by ToR

  Part host_at(int host) const { return static_cast<Part>(host); }
  Part tor_at(int tor) const { return static_cast<Part>(opera_.hosts() + tor); }
  Part rotor_at(int rotor) const { return static_cast<Part>(opera_.hosts() + opera_.tors() + rotor); }
  Part uplink_at(int tor, int rotor) const {
    return static_cast<Part>(opera_.hosts() + opera_.tors() + opera_.uplinks() + tor * opera_.uplinks() +
                             rotor);
  }
  std::size_t pair(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(opera_.tors()) +
           static_cast<std::size_t>(to);
  }

  void add_links(const Faults& faults);
  void add_switches(const Faults& faults);
  void add(Part part, const FaultTime& time);
  Part link_named(const std::string& between, const std::string& key) const;
  Part part_named(const std::string& name, const std::string& key) const;
  void note_changes();
  bool was_down(Part part, std::int64_t first, std::int64_t last) const;
  bool gets_through(const Trip& trip);
  bool survives(Part uplink, std::int64_t when, std::int64_t size);
  void look(std::int64_t now, std::vector<bool>& up, std::vector<bool>& open) const;

  const topology::Opera& opera_;
  std::int64_t detection_;
  int parts_ = 0;
  std::vector<std::vector<Window>> down_;    // by part
  std::vector<std::vector<Losing>> losing_;  // by part
  std::vector<std::uint64_t> streams_;       // by part
  std::vector<int> rotor_of_pair_;           // over which two ToRs meet
  std::vector<std::int64_t> changes_;        // of what is known
  std::size_t next_change_ = 0;
  std::int64_t settled_ = 0;
  std::vector<bool> known_up_;  // by part
  std::vector<bool> open_;      // by pair of ToRs
  std::vector<bool> last_up_;   // when nothing changes any more
  std::vector<bool> last_open_;
  RotorFaultCounts counts_;
};

// As the other backends name them.
void add_counters(const RotorFaults& faults, NetworkRecord& record);

}  // namespace overture::network::rotor
