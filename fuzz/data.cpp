// The readers of datasets: a first byte chooses the format, the rest is the file. What is accepted has whole
// columns and ids inside its tables. The checksums of our own format are set right first: otherwise no input
// would get past them.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "memory_file.h"
#include "targets.h"

#include "overture/data/binary_format.h"
#include "overture/data/checksum.h"
#include "overture/data/columns.h"
#include "overture/data/dataset.h"

using namespace overture;
using namespace overture::data;

namespace {

constexpr std::int64_t kMostSamples = 2000;

void set_checksums(std::string& bytes) {
  BinaryHeader header{};
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t tables_end = sizeof header + header.tables * sizeof(BinaryTable);
  if (header.tables > kMostTables || tables_end > bytes.size() || header.index_offset > bytes.size() ||
      header.chunks > (bytes.size() - header.index_offset) / sizeof(BinaryChunk)) {
    return;
  }
  std::vector<BinaryTable> tables(header.tables);
  std::vector<BinaryChunk> chunks(header.chunks);
  if (!tables.empty()) {
    std::memcpy(tables.data(), bytes.data() + sizeof header, tables.size() * sizeof(BinaryTable));
  }
  if (!chunks.empty()) {
    std::memcpy(chunks.data(), bytes.data() + header.index_offset, chunks.size() * sizeof(BinaryChunk));
  }
  for (BinaryChunk& chunk : chunks) {
    if (chunk.offset > bytes.size() || chunk.bytes > bytes.size() - chunk.offset) continue;
    chunk.checksum = checksum(bytes.data() + chunk.offset, chunk.bytes);
  }
  header.checksum = header_checksum(header, tables, chunks);
  if (!chunks.empty()) {
    std::memcpy(bytes.data() + header.index_offset, chunks.data(), chunks.size() * sizeof(BinaryChunk));
  }
  std::memcpy(bytes.data(), &header, sizeof header);
}

void check_batch(const Batch& batch, const Shape& shape) {
  const auto samples = static_cast<std::size_t>(batch.samples);
  fuzz::require(batch.labels.size() == samples, "every sample has a label");
  fuzz::require(batch.dense.size() == samples * static_cast<std::size_t>(shape.dense_features),
                "every sample has its dense features");
  fuzz::require(batch.tables.size() == shape.tables(), "every table is there");
  for (std::size_t t = 0; t < shape.tables(); ++t) {
    const Bags& bags = batch.tables[t];
    fuzz::require(bags.offsets.empty() ? bags.ids.size() == samples
                                       : bags.offsets.size() == samples + 1 && bags.offsets.front() == 0 &&
                                             bags.offsets.back() == bags.ids.size(),
                  "offsets and ids agree");
    fuzz::require(std::is_sorted(bags.offsets.begin(), bags.offsets.end()), "offsets rise");
    for (const std::int64_t id : bags.ids) {
      fuzz::require(id >= 0 && (shape.table_rows[t] == 0 || id < shape.table_rows[t]),
                    "ids are inside their tables");
    }
  }
}

void check_dataset(const std::string& path, Format format) {
  const auto reader = open_dataset(path, {.format = format, .max_bad_rows = 10});
  Batch batch;
  reader->read(batch, kMostSamples);
  check_batch(batch, reader->shape());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto format = static_cast<Format>(data[0] % 5);
  std::string bytes(fuzz::as_text(data + 1, size - 1));
  if (format == Format::overture) set_checksums(bytes);
  const fuzz::MemoryFile file(bytes);
  fuzz::accepts([&] { check_dataset(file.path(), format); });
  fuzz::accepts([&] { detect_format(file.path()); });
  return 0;
}
