#include "overture/base/error.h"
#include "overture/network/analytical/config.h"
#include "overture/network/make_network.h"

namespace overture::network {

AnalyticalConfig AnalyticalConfig::from(const NetworkChoice& choice) {
  if (const auto* dimensions = std::get_if<AnalyticalConfig>(&choice.wires.kind)) return *dimensions;
  throw UserError({.key = "network.backend"}, "analytical knows dimensions, not a topology",
                  "use flow or packet, or write dimensions");
}

std::unique_ptr<Network> AnalyticalConfig::make(sim::EventQueue& events) const {
  return make_network(*this, hierarchy(*this), events);
}

void AnalyticalConfig::set_faults(const Faults& faults) const { refuse_network_faults(faults, "analytical"); }

Wires AnalyticalConfig::wires() const { return {*this}; }

}  // namespace overture::network
