// TextRow: one sample as a reader of text meets it, before it takes its place in the columns of a batch.
// RowSource: where rows come from, good and bad ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/error.h"
#include "overture/data/batch.h"
#include "overture/data/sample_reader.h"
#include "overture/data/shape.h"

namespace overture::data {

struct TextRow {
  float label = 0;
  std::vector<float> dense;
  std::vector<std::int64_t> ids;    // table after table
  std::vector<std::uint32_t> ends;  // where each table's ids end; empty: one id for each
  std::vector<float> weights;       // one per id; empty: the row has none

  void clear() {
    dense.clear();
    ids.clear();
    ends.clear();
    weights.clear();
  }
};

class RowSource {
 public:
  enum class Outcome { row, bad, end };
  virtual ~RowSource() = default;

  virtual const Shape& shape() const = 0;
  // After `bad`, why() and where() tell.
  virtual Outcome next(TextRow& row) = 0;
  virtual const std::string& why() const = 0;
  virtual Where where() const = 0;
  virtual std::optional<std::int64_t> rows() const { return std::nullopt; }
  virtual Position position() const = 0;
};

}  // namespace overture::data
