// What a sweep writes beside its table: all points as CSV, and how much each axis matters.
#pragma once

#include <string>
#include <vector>

#include "overture/base/json.h"
#include "overture/cli/sweep_table.h"
#include "overture/setup/sweep_setup.h"

namespace overture::cli {

// A line for every point: values of the axes, the numbers that the first point has, and its folder.
std::string sweep_csv(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows);

// How much an axis matters: the mean of the metric at each of its values.
Json sweep_effects(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows,
                   const std::string& metric);

// The axis along which the mean of the metric changes most, and between which of its values; empty where it
// changes along none.
std::string sweep_why(const Json& effects, const std::string& metric);

}  // namespace overture::cli
