// RowReader: makes a SampleReader of a RowSource: checks every row, counts the bad ones, maps the ids.
#pragma once

#include <memory>
#include <string>

#include "overture/data/id_map.h"
#include "overture/data/row.h"
#include "overture/data/sample_reader.h"

namespace overture::data {

class RowReader final : public SampleReader {
 public:
  struct Options {
    IdOptions ids;
    std::int64_t max_bad_rows = 0;
  };

  // `name` is what errors call the dataset.
  RowReader(std::unique_ptr<RowSource> source, const Options& options, const std::string& name);

  const Shape& shape() const override { return ids_.shape(); }
  std::int64_t read(Batch& batch, std::int64_t most) override;
  std::optional<std::int64_t> samples() const override { return source_->rows(); }
  Position position() const override { return source_->position(); }
  const BadRows* bad_rows() const override { return &bad_; }

 private:
  std::string fault(TextRow& row) const;

  std::unique_ptr<RowSource> source_;
  IdMap ids_;
  BadRows bad_;
  TextRow row_;
};

}  // namespace overture::data
