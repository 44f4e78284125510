// FoldedReader: another reader's samples with their ids mapped, for datasets that have no rows of text.
#pragma once

#include <memory>
#include <string>

#include "overture/data/id_map.h"
#include "overture/data/sample_reader.h"

namespace overture::data {

class FoldedReader final : public SampleReader {
 public:
  FoldedReader(std::unique_ptr<SampleReader> reader, const IdOptions& ids, std::string name);

  const Shape& shape() const override { return ids_.shape(); }
  std::int64_t read(Batch& batch, std::int64_t most) override;
  std::int64_t skip(std::int64_t samples) override { return reader_->skip(samples); }
  std::optional<std::int64_t> samples() const override { return reader_->samples(); }
  Position position() const override { return reader_->position(); }

 private:
  std::unique_ptr<SampleReader> reader_;
  std::string name_;
  IdMap ids_;
};

}  // namespace overture::data
