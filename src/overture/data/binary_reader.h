// Reads Overture's own dataset file (binary_format.h), chunk by chunk: any sample is at hand, only what is
// needed is read. Every chunk's checksum is verified when it is entered, every id is below its table's rows.
// Not through a memory map: a file that somebody cuts while it is read would end the program by a signal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/data/binary_format.h"
#include "overture/data/input_file.h"
#include "overture/data/sample_reader.h"

namespace overture::data {

class BinaryReader final : public SampleReader {
 public:
  // Throws UserError when the file is none of ours, of a newer version, cut short or damaged.
  explicit BinaryReader(const std::filesystem::path& path);

  const Shape& shape() const override { return shape_; }
  std::int64_t read(Batch& batch, std::int64_t most) override;
  std::int64_t skip(std::int64_t samples) override;
  std::optional<std::int64_t> samples() const override { return samples_; }
  Position position() const override;

 private:
  // Where the columns of a table lie in the chunk that is open.
  struct Column {
    const char* ids = nullptr;
    const std::uint32_t* offsets = nullptr;
    const float* weights = nullptr;
    std::uint64_t count = 0;  // of ids
  };

  void read_header();
  void read_index(const BinaryHeader& header);
  void open_chunk(std::size_t chunk);
  void get(std::uint64_t place, void* into, std::size_t size) const;
  Column table_column(std::size_t table, std::size_t& place) const;
  void copy(Batch& batch, std::int64_t first, std::int64_t count) const;
  const char* part(std::size_t& place, std::size_t bytes) const;
  [[noreturn]] void cut_short() const;
  [[noreturn]] void damaged(const std::string& what) const;

  InputFile file_;
  std::vector<char> memory_;  // of the open chunk
  Shape shape_;
  std::vector<BinaryTable> tables_;
  std::vector<BinaryChunk> chunks_;
  std::int64_t samples_ = 0;
  std::int64_t chunk_samples_ = 1;
  std::int64_t next_ = 0;
  std::size_t open_ = static_cast<std::size_t>(-1);
  const float* labels_ = nullptr;
  const float* dense_ = nullptr;
  std::vector<Column> columns_;
};

}  // namespace overture::data
