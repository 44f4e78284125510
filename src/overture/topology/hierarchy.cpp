#include "overture/topology/hierarchy.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "overture/base/check.h"

namespace overture::topology {

Hierarchy::Hierarchy(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
  check(!dimensions_.empty(), "a hierarchy has at least one dimension");
  for (const Dimension& dimension : dimensions_) {
    check(dimension.size >= 1, "a dimension has at least one unit");
    check(ranks_ <= std::numeric_limits<int>::max() / dimension.size, "rank ids fit in 31 bits");
    strides_.push_back(ranks_);
    ranks_ *= dimension.size;
  }
}

int Hierarchy::dimension_between(Rank a, Rank b) const {
  for (int d = dimensions() - 1; d >= 0; --d) {
    // Above the highest differing dimension all digits agree, so one division compares them all.
    if (index(a) / stride(d) != index(b) / stride(d)) return d;
  }
  return -1;
}

int Hierarchy::hops(Rank a, Rank b, int d) const {
  switch (dimension(d).kind) {
    case DimensionKind::ring: {
      const int distance = std::abs(coordinate(a, d) - coordinate(b, d));
      return std::min(distance, dimension(d).size - distance);
    }
    case DimensionKind::fully_connected: return 1;
    case DimensionKind::switched: return 2;
  }
  return 0;
}

}  // namespace overture::topology
