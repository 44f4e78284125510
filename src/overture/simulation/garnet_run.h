// ASTRA-sim over Garnet: what the system layer is told of the text file's network, and the run.
#pragma once

#include <optional>

#include "overture/network/garnet/config.h"
#include "overture/network/garnet/engine.h"
#include "overture/simulation/simulation.h"

namespace overture::simulation {

// The analytical network with the same dimensions and links, for shapes and reports.
network::AnalyticalConfig analytical_counterpart(const network::garnet::GarnetConfig& garnet);

// Makes `config` what it is over Garnet: rings are queues, a reduction takes 30 cycles, ranks start at
// cycle 13.
void put_on_garnet(SimulationConfig& config, const network::garnet::GarnetConfig& garnet);

struct GarnetResult {
  SimulationResult result;
  std::optional<network::garnet::GarnetStatistics>
      network;  // none where nothing competed and no flit was simulated
};

// In closed form where nothing competes, flit by flit otherwise, and always if config.scope asks for all
// ranks. Throws UserError where the original ends without a report, hangs or aborts.
GarnetResult simulate_garnet(const SimulationConfig& config, const network::garnet::GarnetConfig& garnet,
                             const Observers& observers = {});

}  // namespace overture::simulation
