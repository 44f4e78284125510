// Writes Chakra execution traces of schema 0.0.4, as ASTRA-sim 2 and Chakra's own tools read them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "overture/formats/chakra/node.h"

namespace overture::chakra {

// Adds a node; `parents` are places of earlier or later nodes. Returns its place.
std::uint32_t add_node(RankTrace& trace, Node node, std::string_view name,
                       std::span<const std::uint32_t> parents);
// The place of a group's name, which is added if need be.
std::uint32_t group_place(RankTrace& trace, std::string_view name);

// The whole file. What the reader kept of unknown fields comes back as it was.
std::string encode(const RankTrace& trace);

// Gzipped if the name ends in ".gz". Throws UserError.
void write_trace(const RankTrace& trace, const std::filesystem::path& file);

}  // namespace overture::chakra
