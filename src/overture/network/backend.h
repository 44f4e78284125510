// What a backend is to all that stands above it: the contract of its configuration. The configuration says
// what the network is wired of, which keys of `network:` are its own, and how to make it; make_network.h has
// the list of all.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/network/faults.h"
#include "overture/network/network.h"
#include "overture/network/setup_change.h"
#include "overture/sim/event_queue.h"

namespace overture::network {

struct NetworkChoice;  // what a setup says of its network, with the settings of all backends: make_network.h
struct Wires;          // wires.h

// For a backend without keys of its own. Others describe theirs as this does, with v.from(), v.field() and
// v.group() (setup/visitors.h).
struct NoSettings {
  template <class V>
  static void keys(V&, NoSettings&) {}
};

// What those above a network may know of it.
struct NetworkFacts {
  // What a rank can send into each of its dimensions, where these are all that it is and every rank is like
  // the others, so that some can stand for all. Elsewhere empty.
  std::vector<double> gib_per_s{};
  bool shares_links = true;      // do messages wait for each other?
  bool whole_exchanges = false;  // does a round of equal messages cost it as much as one?

  bool ranks_alike() const { return !gib_per_s.empty(); }
};

template <class T>
concept Backend = requires(const T& config, T& changed, const NetworkChoice& choice, sim::EventQueue& events,
                           const Faults& faults) {
  // After `backend:` in setups.
  { T::kWord } -> std::convertible_to<std::string_view>;
  typename T::Settings;
  // Throws UserError, with a key such as network.backend, where it cannot run on such wires or with such
  // settings.
  { T::from(choice) } -> std::same_as<T>;
  // `events` outlives the network. Throws UserError when the configuration cannot work.
  { config.make(events) } -> std::same_as<std::unique_ptr<Network>>;
  // Throws UserError where it has no part that could fail.
  changed.set_faults(faults);
  { config.wires() } -> std::same_as<Wires>;
  { config.facts() } -> std::same_as<NetworkFacts>;
};

// What it may have beside these; make_network.h says more of each:
//   std::vector<std::pair<std::string, Config>> improvements() const
//   std::vector<SetupChange> changes_to_try(const NetworkRecord& record) const
//   bool halve_rates()
//   topology::OperaSource* circuits()
//   std::optional<topology::Opera> schedule() const

}  // namespace overture::network
