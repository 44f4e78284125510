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

bool shares_links(const NetworkConfig& config) {
  return std::visit([](const Backend auto& one) { return one.shares_links(); }, config);
}

}  // namespace overture::network
