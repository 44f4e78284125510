// Reads ASTRA-sim 1.0's system file: `key: value` tokens in any order.
#pragma once

#include <string>
#include <string_view>

#include "overture/system/config.h"

namespace overture::formats {

struct AstraSystem {
  system::SystemConfig config;
  bool write_reports = true;  // seprate-log
};

// What the command line adds to the file.
struct AstraSystemOptions {
  int queues_per_dimension = 1;
  float injection_scale = 1;
  bool rendezvous = false;
  // The last so many dimensions have one NPU each, and lists of algorithms may leave them out.
  int optional_dimensions = 0;
  // Garnet's files name trees for an all-to-all that never comes: such a list is no error by itself.
  bool unused_all_to_all = false;
};

// `file` is for messages; `dimensions` is the machine's number of dimensions, which the lists of algorithms
// must match. Throws UserError.
AstraSystem parse_astra_system(std::string_view text, const std::string& file,
                               const AstraSystemOptions& options, int dimensions);

// "ring", "direct8", "halvingDoubling", ...; fails with what would work.
Result<system::Algorithm> parse_astra_algorithm(std::string_view word);

}  // namespace overture::formats
