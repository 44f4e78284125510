// Lists of flows in files: our CSV (src,dst,bytes,start_ns) and htsim's connection matrices (.cm).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/network/flows.h"

namespace overture::formats {

inline constexpr int kAnyHosts = 2'147'483'647;

// Hosts are numbered from 0 to `hosts` - 1.
// Header `src,dst,bytes,start_ns`; blank lines are skipped. Throws UserError with the line.
std::vector<network::FlowSpec> parse_flow_csv(std::string_view text, const std::string& file,
                                              int hosts = kAnyHosts);

// `Nodes N`, `Connections M`, then `src->dst id I start PS size BYTES` (start in picoseconds). Triggers are
// refused.
std::vector<network::FlowSpec> parse_connection_matrix(std::string_view text, const std::string& file,
                                                       int hosts = kAnyHosts);

// By the ending: .cm is a connection matrix, all else CSV.
std::vector<network::FlowSpec> read_flows(const std::filesystem::path& file, int hosts = kAnyHosts);

// The same columns and `fct_ns`, empty for a flow that did not finish.
std::string write_flow_csv(const std::vector<network::FlowSpec>& flows, const network::FlowTimes& times);

}  // namespace overture::formats
