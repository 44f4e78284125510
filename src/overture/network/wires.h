// What a network is wired of, whatever carries its messages: dimensions, a graph of links, or rotors. From it
// follow its hosts, its dimensions for collectives and its cost.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "overture/base/units.h"
#include "overture/network/analytical/config.h"
#include "overture/network/setup_change.h"
#include "overture/topology/graph_config.h"
#include "overture/topology/hierarchy.h"
#include "overture/topology/opera_paths.h"

namespace overture::network {

struct RotorWires {
  topology::OperaSource circuits;
  Bandwidth rate;
  Duration wire;  // ToR to ToR
  // Of low-latency packets; drawn if they are not given.
  std::optional<topology::OperaPaths> paths{};
};

struct Wires {
  std::variant<AnalyticalConfig, topology::GraphConfig, RotorWires> kind;
};

// Dimensions as a wire per directed link, as fast as the formula has it; latencies of NICs, routers and
// memories are the formula's alone. Null if these are rotors.
std::optional<topology::GraphConfig> links_of(const Wires& wires);

int count_hosts(const Wires& wires);

// Wires twice as fast, one kind of wire at a time.
std::vector<SetupChange> faster_wires(const topology::GraphConfig& config);

// How collectives see the ranks unless a setup says otherwise; see topology/graph_config.h.
topology::Hierarchy system_dimensions(const Wires& wires, int ranks);

}  // namespace overture::network
