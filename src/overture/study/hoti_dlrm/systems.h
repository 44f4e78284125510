// The four systems of the HOTI 2020 study (Rashidi et al., "Scalable Distributed Training of Recommendation
// Models: An ASTRA-SIM + NS3 case-study with TCP/IP transport"), as the setup files in examples/hoti say it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/setup/setup.h"

namespace overture::study::hoti {

struct SystemSetup {
  std::string name;  // as published: Flat100G
  std::string file;  // flat100g.yaml
  std::string_view text;
  bool hierarchical = false;
};

// In the order in which the study names them.
const std::vector<SystemSetup>& systems();

// By its name, in any case of letters. Throws UserError.
const SystemSetup& system_named(const std::string& name);

// Its setup with some keys changed. Throws UserError.
setup::Setup parsed(const SystemSetup& system, const std::vector<std::string>& overrides = {});

// The switch that joins all GPUs, or all nodes, of a system.
inline const topology::StarConfig& star_of(const setup::Setup& setup) {
  return std::get<std::optional<topology::StarConfig>>(setup.network.topology.shapes.all).value();
}

}  // namespace overture::study::hoti
