// Writes Overture's own dataset file (binary_format.h), one chunk in memory at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/base/whole_file.h"
#include "overture/data/binary_format.h"
#include "overture/data/sample_writer.h"
#include "overture/data/shape.h"

namespace overture::data {

class BinaryWriter final : public SampleWriter {
 public:
  // Tables whose rows are not known (0) get as many as their largest id asks for, below 2^32.
  BinaryWriter(const std::filesystem::path& path, const Shape& shape);

  void write(const Batch& batch) override;
  void close() override;
  std::int64_t bytes() const override { return file_.size(); }

 private:
  void write_chunk();
  void put(const void* data, std::size_t size);
  void put_ids(std::size_t table, const std::vector<std::int64_t>& ids);
  void check_ids(std::size_t table, const std::vector<std::int64_t>& ids);

  std::string name_;
  Shape shape_;
  WholeFile file_;
  std::vector<BinaryTable> tables_;
  std::vector<std::int64_t> seen_rows_;  // of tables whose rows are not known: the largest id, and one
  std::vector<BinaryChunk> chunks_;
  std::int64_t samples_ = 0;
  Batch pending_;
  std::string chunk_;
};

}  // namespace overture::data
