// The dimensions that collectives run along. Usually the machine's own; a model-parallel group that ends
// inside one breaks that one in two.
#pragma once

#include <string>
#include <vector>

#include "overture/base/ids.h"
#include "overture/topology/hierarchy.h"

namespace overture::system {

// A group of ranks that differ only in one coordinate: `size` ids, `stride` apart.
struct LogicalDimension {
  int size = 1;
  int stride = 1;
  int physical = 0;  // the machine's dimension it lies in

  int coordinate(Rank rank) const { return index(rank) / stride % size; }
  // The rank that stands `offset` further along (negative: back), round the end.
  Rank neighbour(Rank rank, int offset) const {
    const int here = coordinate(rank);
    const int there = ((here + offset) % size + size) % size;
    return Rank{index(rank) + (there - here) * stride};
  }
};

struct LogicalDimensions {
  std::vector<LogicalDimension> dimensions;
  int model_dimensions = 0;  // the first so many hold the model-parallel group
  int broken = -1;           // the machine's dimension that was broken in two, or -1

  int count() const { return static_cast<int>(dimensions.size()); }
};

// The machine's own dimensions.
LogicalDimensions logical_dimensions(const topology::Hierarchy& machine);

// With the boundary of a model-parallel group of `group` ranks, counted from dimension 0. Throws UserError
// when the group is larger than the machine or does not divide the dimension it ends in; `file` is where the
// group was written.
LogicalDimensions logical_dimensions(const topology::Hierarchy& machine, int group,
                                     const std::string& file = {});

// All ranks in one.
LogicalDimension flat_dimension(const topology::Hierarchy& machine);

}  // namespace overture::system
