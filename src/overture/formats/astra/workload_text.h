// ASTRA-sim 1.0's workload file, in and out: whitespace-separated tokens, a keyword, the number of layers,
// twelve columns a layer.
#pragma once

#include <string>
#include <string_view>

#include "overture/workload/workload.h"

namespace overture::formats {

struct AstraScales {
  float compute = 1;
  float communication = 1;
};

// `file` is for messages. Throws UserError with the line of what is wrong. Accepts the 13th column that the
// original's generator writes and its simulator stumbles over.
workload::Workload parse_astra_workload(std::string_view text, const std::string& file,
                                        const AstraScales& scales = {});

// Times are written in whole nanoseconds, rounded up: the format knows no others.
std::string write_astra_workload(const workload::Workload& workload);

}  // namespace overture::formats
