#include "overture/data/folded_reader.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::data {

FoldedReader::FoldedReader(std::unique_ptr<SampleReader> reader, const IdOptions& ids, std::string name)
    : reader_(std::move(reader)), name_(std::move(name)), ids_(reader_->shape(), ids, name_) {}

std::int64_t FoldedReader::read(Batch& batch, std::int64_t most) {
  const std::int64_t got = reader_->read(batch, most);
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    for (std::int64_t& id : batch.tables[t].ids) {
      const std::int64_t row = ids_.map(t, id);
      if (row < 0) {
        throw UserError(
            {.file = name_},
            fmt::format("id {} of table {} is not in its {} rows", id, t, ids_.shape().table_rows[t]),
            "fold ids into the tables with --fold-ids or --max-ind-range");
      }
      id = row;
    }
  }
  return got;
}

}  // namespace overture::data
