// Reads and writes the topology files of the Opera simulator ("dynexp"), so that its users keep theirs:
//
//   hosts downlinks uplinks tors
//   3*tors stable drain dark                          the parts of a slice, ps
//   per part of a slice: the ToR behind every uplink, ToR by ToR, -1 in the dark
//   per part of a slice: its number, then lines `from to port port ...`, ports counted after the downlinks
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "overture/topology/opera.h"
#include "overture/topology/opera_paths.h"

namespace overture::formats {

struct Dynexp {
  topology::Opera opera;
  topology::OperaPaths paths;

  friend bool operator==(const Dynexp&, const Dynexp&) = default;
};

// `name` is what errors call the text. Throws UserError with the line when the text is cut short or
// contradicts itself: a circuit with one end, a pair that does not meet once a cycle, a path that leads
// elsewhere.
Dynexp parse_dynexp(std::string_view text, std::string_view name);
Dynexp read_dynexp(const std::filesystem::path& path);

// As the original writes it: no newline at the end.
std::string write_dynexp(const topology::Opera& opera, const topology::OperaPaths& paths);

}  // namespace overture::formats
