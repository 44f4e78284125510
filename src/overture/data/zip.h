// Zip: finds the members of a zip archive (and of what is one in disguise, such as numpy's npz) and unpacks
// them as they are read, with their checksum. Stored and deflated members, ZIP64 included; no encryption.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "overture/data/byte_source.h"

namespace overture::data {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;
};

// Throws UserError when the file is no zip archive, or cut short.
std::vector<ZipMember> read_zip(const std::filesystem::path& path);

std::unique_ptr<ByteSource> open_zip_member(const std::filesystem::path& path, const ZipMember& member);

}  // namespace overture::data
