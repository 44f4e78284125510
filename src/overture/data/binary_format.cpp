#include "overture/data/binary_format.h"

#include <bit>

#include "overture/data/checksum.h"

namespace overture::data {

static_assert(std::endian::native == std::endian::little, "the file is mapped as it is");

std::uint64_t id_bytes(std::int64_t rows) {
  if (rows == 0) return 4;
  if (rows <= 1LL << 8) return 1;
  if (rows <= 1LL << 16) return 2;
  if (rows <= 1LL << 32) return 4;
  return 8;
}

std::uint64_t header_checksum(BinaryHeader header, const std::vector<BinaryTable>& tables,
                              const std::vector<BinaryChunk>& chunks) {
  header.checksum = 0;
  std::uint64_t sum = checksum(&header, sizeof header);
  sum = checksum(tables.data(), tables.size() * sizeof(BinaryTable), sum);
  return checksum(chunks.data(), chunks.size() * sizeof(BinaryChunk), sum);
}

}  // namespace overture::data
