// What a backend is to all that stands above it: the contract of its configuration. The configuration says
// what the network is wired of, which keys of `network:` are its own, and how to make it; make_network.h has
// the list of all.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>

#include "overture/network/faults.h"
#include "overture/network/network.h"
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
  // Do messages share links, so that no rank can stand for another?
  { config.shares_links() } -> std::same_as<bool>;
};

}  // namespace overture::network
