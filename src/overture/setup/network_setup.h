// The `network:` of a setup: which backend, on which dimensions or topology, with which transport and queues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "overture/base/words.h"
#include "overture/network/make_network.h"
#include "overture/setup/convert.h"

namespace overture::setup {

// Which of network::NetworkConfig carries the messages: its number.
enum class Backend : std::uint8_t {};

template <class Config>
inline constexpr Backend kBackend{
    static_cast<std::uint8_t>(Alternatives<network::NetworkConfig>::number<Config>())};

constexpr auto vocabulary(Backend) { return numbered_words<Backend, network::NetworkConfig>(); }

// Drawn, or as a dynexp file of the Opera simulator has it.
struct OperaChoice : topology::OperaConfig {
  std::string file;  // beside the setup; then the circuits and their times are the file's
};

// Every shape that has a word, left out or given.
template <class Variant>
struct ShapeChoices;
template <class... Shape>
struct ShapeChoices<std::variant<Shape...>> {
  std::tuple<std::optional<Shape>...> all;

  template <class One>
  void choose(One shape) {
    std::get<std::optional<One>>(all) = std::move(shape);
  }

  template <class Visit>
  void each(Visit visit) {
    (visit_named(std::get<std::optional<Shape>>(all), visit), ...);
  }
  template <class Visit>
  void each(Visit visit) const {
    (visit_named(std::get<std::optional<Shape>>(all), visit), ...);
  }

 private:
  template <class Choice, class Visit>
  static void visit_named(Choice& choice, Visit& visit) {
    if constexpr (topology::NamedShape<typename Choice::value_type>) visit(choice);
  }
};

// At most one of them.
struct TopologyChoice {
  ShapeChoices<topology::GraphConfig::Shape> shapes;
  std::optional<OperaChoice> opera;  // time-varying
  std::string file;                  // a graph in a text file, beside the setup
};

struct NetworkSetup {
  std::optional<Backend> backend;
  network::AnalyticalConfig analytical;
  TopologyChoice topology;
  std::optional<topology::HierarchicalSwitchConfig> nodes;  // of several GPUs, on top of the topology
  double oversubscription = 1;
  std::string prices;  // file of a price list, beside the setup; empty: the built-in one
  network::BackendSettings settings;

  // What it says for one backend.
  template <class Settings>
  Settings& of() {
    return std::get<Settings>(settings);
  }
  template <class Settings>
  const Settings& of() const {
    return std::get<Settings>(settings);
  }
};

// What the setup names, or what suits the rest of it.
Backend backend_of(const NetworkSetup& setup);

// `file` is the setup's, beside which others are found. Throws UserError when the setup chooses no network or
// several, a backend that does not suit, or a number that makes no sense. Builds nothing yet.
network::NetworkConfig network_config(const NetworkSetup& setup, std::uint64_t seed, const std::string& file);

}  // namespace overture::setup
