// InfraGraph's YAML (infrastructure as a graph; ASTRA-sim 3's standard): devices with components, instances
// of them, and edges. NPUs are the hosts of a network; all else that an edge touches forwards.
#pragma once

#include <string>
#include <string_view>

#include "overture/topology/routing.h"

namespace overture::formats {

// What links are that the file does not give a bandwidth or latency for.
struct InfraGraphDefaults {
  Bandwidth rate = Bandwidth::bits_per_second(400'000'000'000);
  Duration delay = Nanoseconds{100};
};

// As the text of topology/graph_file.h, with what every host and switch stands for in comments. Throws
// UserError that names the line.
std::string infragraph_to_graph(std::string_view text, const std::string& file,
                                const InfraGraphDefaults& defaults = {});

// A graph as InfraGraph: one instance per host and switch, one edge per cable.
std::string graph_to_infragraph(const topology::Graph& graph, const std::string& name);

}  // namespace overture::formats
