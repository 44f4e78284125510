// What rotor networks send over two circuits (RotorLB, opera-htsim section 1.8): a host hands to other hosts
// what its direct circuits leave waiting, and they pass it on when they meet the receiver. First hops come
// last, after all direct traffic; second hops come first and push direct traffic aside. Knows no time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/network/flow/max_min.h"

namespace overture::network::flow {

// What a link is to traffic that is relayed.
enum class LinkRole : std::uint8_t {
  none,     // it never takes it
  circuit,  // it goes round it: flows over such links may be relayed
  out,      // a host's NIC, sending: its own first hops, and the second hops of others
  in,       // a host's NIC, receiving: second hops meant for it, and the first hops of others
};

struct RelayLink {
  LinkRole role = LinkRole::none;
  double capacity = 0;
  double count = 1;   // links of this class
  double direct = 0;  // what it carries directly, from 0 to the capacity
};

// Hosts whose links are of the same classes. Each passes on as much of a flow as any other, as far as it can.
struct Relays {
  double hosts = 0;
  std::array<std::uint32_t, 2> out{};
  std::array<std::uint32_t, 2> in{};
};

// Flows that may be relayed, all with the same rate.
struct RelayedFlows {
  std::span<const Use> uses;  // what a unit of rate of every flow takes from links, circuits included
  double flows = 1;
  double count = 1;  // so many times as many
};

class RelayFill {
 public:
  // `rates[i]` is what every flow of `flows[i]` sends over two circuits: all rise together until a sender, a
  // receiver or all relays are full. No host passes on more than `most_each` of a flow.
  void solve(std::span<const RelayLink> links, std::span<const Relays> relays,
             std::span<const RelayedFlows> flows, double most_each, std::vector<double>& rates);

  // What second hops take from every link in that solution, before anything else.
  const std::vector<double>& second_hops() const { return second_; }

 private:
  struct State {
    double own = 0;            // rising flows that start or end here, by their loads
    std::uint32_t rising = 0;  // how many kinds of them
    double hosts = 0;          // relays of the class that still accept
    double taken = 0;          // by flows that start or end here
    double passed = 0;         // by relays
  };

  void prepare(std::span<const RelayLink> links, std::span<const Relays> relays,
               std::span<const RelayedFlows> flows);
  double next_stop(std::span<const RelayLink> links) const;
  void raise(std::span<const RelayLink> links, double step);
  bool close_relays(std::span<const RelayLink> links, std::span<const Relays> relays);
  bool stop_flows(std::span<const RelayLink> links, std::span<const RelayedFlows> flows,
                  std::vector<double>& rates);

  std::vector<State> states_;
  std::vector<bool> rising_;  // by flows
  std::vector<bool> open_;    // by relays
  double level_ = 0;
  double rising_flows_ = 0;
  double usable_hosts_ = 0;
  double passed_each_ = 0;  // of a flow that still rises, by every host that accepted all the time
  std::vector<double> second_;
};

}  // namespace overture::network::flow
