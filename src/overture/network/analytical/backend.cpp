#include <fmt/format.h>

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

NetworkFacts AnalyticalConfig::facts() const {
  NetworkFacts facts{.shares_links = contention == Contention::links};
  for (const DimensionConfig& dimension : dimensions) facts.gib_per_s.push_back(rank_gib_per_s(dimension));
  return facts;
}

std::vector<std::pair<std::string, AnalyticalConfig>> AnalyticalConfig::improvements() const {
  std::vector<std::pair<std::string, AnalyticalConfig>> all;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const std::string key = fmt::format("network.dimensions.{}.", d);
    all.emplace_back("twice " + key + "bandwidth", *this);
    all.back().second.dimensions[d].link_gib_per_s *= 2;
    if (!(dimensions[d].link_latency_ns > 0)) continue;
    all.emplace_back("half of " + key + "latency", *this);
    all.back().second.dimensions[d].link_latency_ns /= 2;
  }
  return all;
}

bool AnalyticalConfig::halve_rates() {
  for (DimensionConfig& dimension : dimensions) dimension.link_gib_per_s /= 2;
  return true;
}

}  // namespace overture::network
