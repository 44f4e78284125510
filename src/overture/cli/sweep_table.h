// What a sweep prints: its best points, within bounds, and where points differ only in their seed, their mean
// and spread.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "overture/setup/sweep_setup.h"

namespace overture::cli {

// A finished point: the values of its axes and its numbers.
struct SweepRow {
  std::vector<std::string> values;
  std::vector<std::pair<std::string, double>> numbers;
  std::string folder{};  // with its results, below the sweep's

  const double* find(const std::string& name) const {
    const auto found =
        std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.first == name; });
    return found == numbers.end() ? nullptr : &found->second;
  }
};

// "cost 20000 $", "fct_p99_us 350": points with more are left out of the table.
struct SweepBound {
  std::string number;
  double most = 0;
};

// Throws UserError when the command has no such number.
std::vector<SweepBound> parse_bounds(const std::vector<std::string>& texts, const std::string& command);

// The best points first, within the bounds; what their networks cost beside them.
std::string sweep_table(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows,
                        const std::string& metric, const std::vector<SweepBound>& bounds);

}  // namespace overture::cli
