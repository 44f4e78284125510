// Overture's own dataset file. Samples lie in chunks, and in a chunk by column: labels, dense features, then
// for every table the offsets (if multi-hot), the weights (if weighted) and the ids, each id in as few bytes
// as the table needs. A batch is columns too, so reading is copying. Little-endian; every part starts at a
// multiple of 8; nothing in the file depends on anything but the samples.
//
//     header, tables | chunk | chunk | ... | index of the chunks
//
// The header's checksum covers header, tables and index; every chunk has its own in the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "overture/data/shape.h"

namespace overture::data {

constexpr std::string_view kBinaryMagic{"OVERDATA"};
constexpr std::uint32_t kBinaryVersion = 1;
constexpr std::int64_t kChunkSamples = 16384;
constexpr std::size_t kMostTables = 65536;
constexpr std::size_t kMostDense = 65536;

struct BinaryHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t flags;  // 1: multi-hot, 2: weighted
  std::uint32_t dense_features;
  std::uint32_t tables;
  std::uint64_t samples;
  std::uint64_t chunk_samples;  // in every chunk but the last
  std::uint64_t index_offset;
  std::uint64_t chunks;
  std::uint64_t checksum;
};
static_assert(sizeof(BinaryHeader) == 64);

struct BinaryTable {
  std::uint64_t rows;
  std::uint64_t id_bytes;  // 1, 2, 4 or 8
};

struct BinaryChunk {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t samples;
  std::uint64_t checksum;
};

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Bytes that every id below `rows` fits in; 4 when the rows are not known (0).
std::uint64_t id_bytes(std::int64_t rows);

// With the checksum field as 0.
std::uint64_t header_checksum(BinaryHeader header, const std::vector<BinaryTable>& tables,
                              const std::vector<BinaryChunk>& chunks);

}  // namespace overture::data
