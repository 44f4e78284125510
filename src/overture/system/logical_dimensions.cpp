#include "overture/system/logical_dimensions.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::system {

LogicalDimensions logical_dimensions(const topology::Hierarchy& machine) {
  LogicalDimensions result;
  for (int d = 0; d < machine.dimensions(); ++d) {
    result.dimensions.push_back(
        {.size = machine.dimension(d).size, .stride = machine.stride(d), .physical = d});
  }
  return result;
}

LogicalDimensions logical_dimensions(const topology::Hierarchy& machine, int group, const std::string& file) {
  if (group < 1 || group > machine.ranks()) {
    throw UserError(
        {.file = file},
        fmt::format("a model-parallel group of {} NPUs does not fit a machine of {}", group, machine.ranks()),
        "use a group between 1 and the number of NPUs");
  }
  LogicalDimensions result = logical_dimensions(machine);
  if (group == 1) return result;
  int product = 1;
  for (int d = 0; d < machine.dimensions(); ++d) {
    const int size = machine.dimension(d).size;
    if (product * size <= group) {
      product *= size;
      result.model_dimensions = d + 1;
      if (product == group) return result;
      continue;
    }
    const int inner = group / product;
    if (group % product != 0 || size % inner != 0) {
      throw UserError(
          {.file = file},
          fmt::format("a model-parallel group of {} NPUs ends inside dimension {} of {} units and does "
                      "not divide it",
                      group, d, size),
          "choose a group whose boundary divides the dimensions");
    }
    const auto at = result.dimensions.begin() + d;
    *at = {.size = inner, .stride = machine.stride(d), .physical = d};
    result.dimensions.insert(at + 1,
                             {.size = size / inner, .stride = machine.stride(d) * inner, .physical = d});
    result.model_dimensions = d + 1;
    result.broken = d;
    return result;
  }
  return result;
}

LogicalDimension flat_dimension(const topology::Hierarchy& machine) {
  return {.size = machine.ranks(), .stride = 1, .physical = machine.dimensions() - 1};
}

}  // namespace overture::system
