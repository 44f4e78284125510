// Reads ASTRA-sim 1.0's network file (JSON, all keys required, GB = 2^30 bytes).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/network/analytical/config.h"

namespace overture::formats {

// The four lists that ASTRA-sim's command line can replace.
struct AstraNetworkOverrides {
  std::optional<std::vector<int>> units_count;
  std::optional<std::vector<int>> links_count;
  std::optional<std::vector<double>> link_latency;
  std::optional<std::vector<double>> link_bandwidth;
};

// `file` is for messages only. Throws UserError on anything that could not run.
network::AnalyticalConfig parse_astra_network(std::string_view text, const std::string& file,
                                              const AstraNetworkOverrides& overrides = {});

}  // namespace overture::formats
