#include "overture/data/row_reader.h"

#include <cmath>

#include <fmt/format.h>

#include "overture/data/columns.h"

namespace overture::data {

RowReader::RowReader(std::unique_ptr<RowSource> source, const Options& options, const std::string& name)
    : source_(std::move(source)), ids_(source_->shape(), options.ids, name), bad_(options.max_bad_rows) {}

std::int64_t RowReader::read(Batch& batch, std::int64_t most) {
  clear(batch, shape());
  while (batch.samples < most) {
    const RowSource::Outcome outcome = source_->next(row_);
    if (outcome == RowSource::Outcome::end) break;
    const std::string why = outcome == RowSource::Outcome::bad ? source_->why() : fault(row_);
    if (why.empty()) {
      append(batch, row_);
    } else {
      bad_.add(source_->where(), why);
    }
  }
  return batch.samples;
}

// What is wrong with a row; nothing if it can be used, and then its ids are mapped.
std::string RowReader::fault(TextRow& row) const {
  const Shape& shape = ids_.shape();
  const std::size_t tables = row.ends.empty() ? row.ids.size() : row.ends.size();
  if (tables != shape.tables()) return fmt::format("{} tables instead of {}", tables, shape.tables());
  if (static_cast<std::int64_t>(row.dense.size()) != shape.dense_features) {
    return fmt::format("{} dense features instead of {}", row.dense.size(), shape.dense_features);
  }
  if (row.label != 0 && row.label != 1) return fmt::format("label {} is neither 0 nor 1", row.label);
  for (const float value : row.dense) {
    if (!std::isfinite(value)) return "a dense feature is not a finite number";
  }
  for (const float weight : row.weights) {
    if (!std::isfinite(weight)) return "a weight is not a finite number";
  }
  std::size_t i = 0;
  for (std::size_t t = 0; t < tables; ++t) {
    const std::size_t end = row.ends.empty() ? t + 1 : row.ends[t];
    for (; i < end; ++i) {
      const std::int64_t id = ids_.map(t, row.ids[i]);
      if (id < 0) {
        if (row.ids[i] < 0) return fmt::format("id {} of table {} is negative", row.ids[i], t);
        return fmt::format("id {} of table {} is not in its {} rows", row.ids[i], t, shape.table_rows[t]);
      }
      row.ids[i] = id;
    }
  }
  return {};
}

}  // namespace overture::data
