// For the tests of this folder: traffic and summaries.
#pragma once

#include <algorithm>
#include <vector>

#include "overture/network/rotor/run_flows.h"

namespace overture::network::rotor {

inline std::vector<FlowSpec> all_to_all(int hosts, Bytes size, Time start) {
  std::vector<FlowSpec> flows;
  for (int from = 0; from < hosts; ++from) {
    for (int to = 0; to < hosts; ++to) {
      if (from != to) flows.push_back({.from = Rank{from}, .to = Rank{to}, .size = size, .start = start});
    }
  }
  return flows;
}

inline double mean_us(const RotorRun& result) {
  double sum = 0;
  for (const auto& completion : result.completion) sum += to_us(completion.value());
  return sum / static_cast<double>(result.completion.size());
}

inline double max_us(const RotorRun& result) {
  double most = 0;
  for (const auto& completion : result.completion) most = std::max(most, to_us(completion.value()));
  return most;
}

}  // namespace overture::network::rotor
