// Deep learning recommendation models as data: layers, tables and their sizes. Model-A and Model-I are those
// of Mudigere et al. (ISCA 2022) as the Opera study built them (EuroMLSys 2024): no dot interaction, the
// outputs of the bottom MLP and of all tables are concatenated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"

namespace overture::model {

struct DenseLayer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;

  // Parameters are fp32.
  Bytes kernel() const { return Bytes{4 * inputs * outputs}; }
  Bytes bias() const { return Bytes{4 * outputs}; }
};

struct EmbeddingTable {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // the feature size
  int bag = 1;               // rows that are summed for a sample

  Bytes size() const { return Bytes{4 * rows * columns}; }
};

struct Dlrm {
  std::string name;
  std::vector<DenseLayer> bottom;
  std::vector<EmbeddingTable> tables;
  std::vector<DenseLayer> top;  // the first takes the concatenation

  std::int64_t concatenated() const;
  // What data-parallel training reduces: all dense parameters.
  Bytes dense_parameters() const;
};

// A model from its shape, with equal tables and equal layers; the top ends in one output. Throws UserError
// when a count is not positive.
struct DlrmShape {
  std::string name;
  int tables = 0;
  std::int64_t rows = 10'000'000;
  std::int64_t columns = 0;
  int bag = 100;
  std::int64_t width = 0;  // of all dense layers
  int bottom_layers = 0;
  int top_layers = 0;
};
Dlrm make_dlrm(const DlrmShape& shape);

// Of the study, to be changed and handed to make_dlrm().
DlrmShape model_a(std::int64_t columns = 80);
DlrmShape model_i();
// "A" or "I". Throws UserError for any other name.
DlrmShape published_model(std::string_view name);

}  // namespace overture::model
