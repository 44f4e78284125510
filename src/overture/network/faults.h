// What goes wrong in a run, as data: links and switches that are down for a while or for good, links that
// lose packets, nodes that compute slower or die. The executor asks for the nodes (simulation/stragglers.h);
// what becomes of a graph of links is LinkFaults, below; rotors have rotor/rotor_faults.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/topology/graph.h"

namespace overture::network {

// From when until when; without an end for good.
struct FaultTime {
  Duration from{};
  std::optional<Duration> until{};
};

// Down, or with a rate losing packets. One cable by its two ends, or a share of all that is drawn.
struct LinkFault : FaultTime {
  std::string between;    // such as "s0-s4"
  double share = 0;       // of the cables of the tier
  std::string tier;       // empty: all cables between switches
  double loss = 0;        // of packets
  double bit_errors = 0;  // per bit: a packet with one is thrown away at the end of the link
};

struct SwitchFault : FaultTime {
  std::string name;  // such as "s4"; on Opera tor3 or rotor1
  double share = 0;  // of all switches, drawn
};

// Computes `slowdown` times as long; or not at all.
struct NodeFault : FaultTime {
  std::optional<int> node{};
  double share = 0;  // of all nodes, drawn
  double slowdown = 1;
  double chance = 1;  // that a task is hit, drawn for each
  double spread = 0;  // of a log-normal factor on top, drawn for each task
  bool dies = false;  // and its links with it
};

struct Faults {
  std::optional<std::uint64_t> seed{};  // of what is drawn; the run's if left out
  // From when a part goes down or comes up until routes follow; if left out 1 ms, and on Opera two cycles.
  std::optional<Duration> detection{};
  std::vector<LinkFault> links{};
  std::vector<SwitchFault> switches{};
  std::vector<NodeFault> nodes{};

  bool empty() const { return links.empty() && switches.empty() && nodes.empty(); }
  // Is a part of the network concerned, too?
  bool touch_network() const;
};

constexpr Duration kDetection = std::chrono::milliseconds(1);

// Throws UserError naming the key, under `faults`, of the first value that makes no sense.
void require_sound(const Faults& faults);
// Throws UserError if a part of the network is concerned: `backend` has none that could fail.
void refuse_network_faults(const Faults& faults, const std::string& backend);

// `count` of `all` numbers from 0, drawn from the stream `name` of the faults' seed, ascending.
std::vector<int> draw_some(const Faults& faults, std::string_view name, double share, int all);
// The nodes that the i-th fault of nodes means, of so many.
std::vector<int> nodes_of(const Faults& faults, std::size_t i, int nodes);

// What the faults do to the links of a graph, known for all times before the run begins.
class LinkFaults {
 public:
  // Throws UserError when they name what the graph does not have.
  LinkFaults(const Faults& faults, const topology::Graph& graph);

  bool is_down(int link, Time when) const { return was_down(link, when, when); }
  // At some moment from `first` to `last`?
  bool was_down(int link, Time first, Time last) const;
  std::vector<bool> down_at(Time when) const;
  // The chance that the link loses a packet, or spoils one of `size`, that leaves it at `when`.
  double loss(int link, Time when) const;
  double corruption(int link, Time when, Bytes size) const;
  // Is it ever down, or losing packets?
  bool is_faulty(int link) const {
    return !down_[static_cast<std::size_t>(link)].empty() || !losing_[static_cast<std::size_t>(link)].empty();
  }

  // When links go down, come up, or begin or cease to lose packets; ascending.
  const std::vector<Time>& changes() const { return changes_; }
  Time next_change(Time after) const;
  // When routes change: what goes down or comes up is known a detection time later; what is down as the run
  // begins, from the start.
  const std::vector<Time>& route_changes() const { return route_changes_; }
  std::vector<bool> known_down_at(Time when) const;

  std::uint64_t seed() const { return seed_; }
  // Parts of the network that fail: cables, switches, nodes.
  int parts() const { return parts_; }

 private:
  struct Window {
    Time from{};
    Time until = Time::max();
    bool holds(Time when) const { return from <= when && when < until; }
    Window known(Duration detection) const {
      return {from == Time{} ? from : from + detection, until == Time::max() ? until : until + detection};
    }
  };
  struct Losing {
    Window window;
    double loss = 0;
    double bit_errors = 0;
  };

  void add(const LinkFault& fault, std::size_t number, const Faults& faults);
  void add(const SwitchFault& fault, std::size_t number, const Faults& faults);
  void cut(int node, const Window& window);
  void cut_cable(int link, const LinkFault& fault);
  std::vector<int> cables_of(const LinkFault& fault, std::size_t number, const Faults& faults) const;
  int node_named(const std::string& name, const std::string& key) const;
  int cable_between(const std::string& ends, const std::string& key) const;
  int reverse(int link) const;
  void note_changes();

  const topology::Graph& graph_;  // used while it is built
  Duration detection_;
  std::uint64_t seed_;
  int parts_ = 0;
  std::vector<std::vector<Window>> down_;  // by link
  std::vector<std::vector<Losing>> losing_;
  std::vector<Time> changes_;
  std::vector<Time> route_changes_;
};

}  // namespace overture::network
