#include "overture/network/make_network.h"

namespace overture::network {
namespace {

template <Backend... One>
NetworkConfig configured(const NetworkChoice& choice, const std::variant<One...>&) {
  NetworkConfig config;
  const auto take = [&]<class Config>() { config = Config::from(choice); };
  ((Alternatives<NetworkConfig>::number<One>() == choice.backend ? take.template operator()<One>() : void()),
   ...);
  return config;
}

}  // namespace

NetworkConfig configure(const NetworkChoice& choice) { return configured(choice, NetworkConfig{}); }

std::unique_ptr<Network> make_network(const NetworkConfig& config, sim::EventQueue& events) {
  return std::visit([&](const Backend auto& one) { return one.make(events); }, config);
}

void set_faults(NetworkConfig& config, const Faults& faults) {
  std::visit([&](Backend auto& one) { one.set_faults(faults); }, config);
}

Wires wires_of(const NetworkConfig& config) {
  return std::visit([](const Backend auto& one) { return one.wires(); }, config);
}

int count_hosts(const NetworkConfig& config) { return count_hosts(wires_of(config)); }

topology::Hierarchy system_dimensions(const NetworkConfig& config, int ranks) {
  return system_dimensions(wires_of(config), ranks);
}

NetworkFacts facts_of(const NetworkConfig& config) {
  return std::visit([](const Backend auto& one) { return one.facts(); }, config);
}

std::vector<std::pair<std::string, NetworkConfig>> improvements(const NetworkConfig& config) {
  std::vector<std::pair<std::string, NetworkConfig>> all;
  const auto add = [&](const Backend auto& one) {
    if constexpr (requires { one.improvements(); })
      for (auto& [what, improved] : one.improvements()) all.emplace_back(what, improved);
  };
  std::visit(add, config);
  return all;
}

std::vector<SetupChange> changes_to_try(const NetworkConfig& config, const NetworkRecord& record) {
  const auto changes = [&](const Backend auto& one) -> std::vector<SetupChange> {
    if constexpr (requires { one.changes_to_try(record); }) return one.changes_to_try(record);
    return {};
  };
  return std::visit(changes, config);
}

bool halve_rates(NetworkConfig& config) {
  const auto halve = [](Backend auto& one) {
    if constexpr (requires { one.halve_rates(); }) return one.halve_rates();
    return false;
  };
  return std::visit(halve, config);
}

topology::OperaSource* circuits_of(NetworkConfig& config) {
  const auto circuits = [](Backend auto& one) -> topology::OperaSource* {
    if constexpr (requires { one.circuits(); }) return one.circuits();
    return nullptr;
  };
  return std::visit(circuits, config);
}

std::optional<topology::Opera> schedule_of(const NetworkConfig& config) {
  const auto schedule = [](const Backend auto& one) -> std::optional<topology::Opera> {
    if constexpr (requires { one.schedule(); }) return one.schedule();
    return std::nullopt;
  };
  return std::visit(schedule, config);
}

}  // namespace overture::network
