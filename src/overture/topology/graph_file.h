// A network described in a text file, one thing a line; '#' starts a comment:
//
//   hosts 4                                # h0 to h3
//   switches 2                             # s0 and s1
//   link h0 s0  100 Gbps  500 ns  host     # a cable: one link each way; the last word names its tier
//   link s0 s1  400 Gbps  1 us    spine
//
// Packets take shortest paths.
#pragma once

#include <filesystem>
#include <string_view>

#include "overture/topology/routing.h"

namespace overture::topology {

// `name` is what errors call the text. Throws UserError with the line and what would work.
Topology parse_graph(std::string_view text, std::string_view name);
Topology read_graph(const std::filesystem::path& path);

}  // namespace overture::topology
