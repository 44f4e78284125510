// Results of cells that were never run, for the tests of what is made of them.
#pragma once

#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/results.h"

namespace overture::study::hoti {

inline CellResult result(const std::string& group, const std::string& system, const std::string& value,
                         double us) {
  return {.cell = {.group = group, .system = system, .value = value, .keys = {}},
          .iterations = 2,
          .finished_us = us};
}

// Layers of 1, 2, 3, ... bytes whose all-reduces take so long.
inline CellResult reduced(const std::string& group, const std::string& system, const std::string& value,
                          const std::vector<double>& latencies) {
  CellResult cell = result(group, system, value, 1000);
  for (std::size_t i = 0; i < latencies.size(); ++i)
    cell.collectives.push_back({.iteration = 1,
                                .kind = "all_reduce",
                                .bytes = static_cast<double>(i + 1),
                                .latency_us = latencies[i]});
  return cell;
}

}  // namespace overture::study::hoti
