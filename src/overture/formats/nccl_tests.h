// What nccl-tests measured: its table, or the JSON that its option -J writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"

namespace overture::formats {

struct MeasuredPoint {
  Bytes size;
  double time_us = 0;  // out of place, or in place where only that was measured
  double bus_gb_per_s = 0;
};

// Throws UserError when there is no result in it.
std::vector<MeasuredPoint> parse_nccl_tests(std::string_view text, const std::string& file);

}  // namespace overture::formats
