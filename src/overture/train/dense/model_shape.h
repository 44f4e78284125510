// What a model must know of the data: how many dense features there are, and how wide each table's rows.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace overture::train {

struct ModelShape {
  std::int64_t dense_features = 13;
  std::vector<std::int32_t> dims;  // of each table's rows

  std::int64_t tables() const { return std::ssize(dims); }
  // Columns of all tables side by side.
  std::int64_t width() const { return std::accumulate(dims.begin(), dims.end(), std::int64_t{0}); }
};

// Throw UserError that names the key: layers that are too few, or not sizes; that do not take the dense
// features; rows that do not all have the same width, which is returned.
void check_layers(const std::string& key, const std::vector<int>& sizes, std::size_t least);
void check_inputs(const std::string& key, const std::vector<int>& sizes, const ModelShape& shape);
std::int32_t common_dim(const std::string& model, const ModelShape& shape);

}  // namespace overture::train
