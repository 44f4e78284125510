// The words by which files and people call the parts of a workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/workload/workload.h"

namespace overture::workload {

// "HYBRID_DLRM": ASTRA-sim's keyword.
std::string_view astra_name(Parallelism parallelism);
std::optional<Parallelism> parse_parallelism(std::string_view astra_name);
std::vector<std::string> parallelism_names();
// May stand on a layer's line under HYBRID_CUSTOMIZED.
bool allowed_per_layer(Parallelism parallelism);

// "ALLREDUCE"
std::string_view astra_name(system::CollectiveKind kind);
std::optional<system::CollectiveKind> parse_collective(std::string_view astra_name);

}  // namespace overture::workload
