// Shape: what all samples of a dataset have in common.
#pragma once

#include <cstdint>
#include <vector>

namespace overture::data {

struct Shape {
  std::int64_t dense_features = 0;
  std::vector<std::int64_t> table_rows;  // of every table; 0: not known before all has been read
  bool multi_hot = false;                // samples look up any number of rows in a table, not just one
  bool weighted = false;                 // every lookup has a weight; only with multi_hot

  std::size_t tables() const { return table_rows.size(); }
  bool operator==(const Shape&) const = default;
};

}  // namespace overture::data
