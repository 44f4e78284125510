// ASTRA-sim 2's files on the command line, for `overture astra2` and `overture import astra2`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "overture/astra2/files.h"
#include "overture/cli/command.h"

namespace overture::cli {

struct Astra2Files {
  astra2::Files files;
  std::string injection_scale = "1";
  std::string comm_scale = "1";
  std::string compute_scale = "1";
};

struct Astra2Run {
  astra2::Config config;
  std::vector<std::shared_ptr<const astra2::Program>> programs;
};

// With the original's own names.
void add_astra2_file_options(Command& command, Astra2Files& files);

// Throws UserError.
Astra2Run load_astra2(const Astra2Files& files, bool congestion_aware,
                      const chakra::ReadOptions& options = {});

}  // namespace overture::cli
