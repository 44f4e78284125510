// The native setup: one YAML file says everything about a run, with units. Reading it gives the plain structs
// of the layers below; writing gives the file back; explaining tells what a key means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/setup/visitors.h"
#include "overture/simulation/simulation.h"

namespace overture::setup {

struct Setup {
  std::string name = "run";
  simulation::SimulationConfig simulation;
};

// `overrides` are "key=value" from the command line. Files that the setup names are found beside it. Throws
// UserError.
Setup load_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
Setup parse_setup(std::string_view text, const std::string& file,
                  const std::vector<std::string>& overrides = {});

std::string write_setup(const Setup& setup);

// Every key, in the order of the file.
std::vector<Explanation> explain_setup();

}  // namespace overture::setup
