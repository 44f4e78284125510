// ByteSource: the bytes of a file from front to back, unpacked on the way if the file is gzip or zstd. What a
// file is shows in its first bytes; its name does not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "overture/data/sample_reader.h"

namespace overture::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Up to `most` bytes; 0 only at the end. Throws UserError when the file is damaged or cut short.
  virtual std::size_t read(char* into, std::size_t most) = 0;
  virtual Position position() const = 0;
};

// Throws UserError when the file is missing, is a folder, or cannot be read.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

// Reads until `most` bytes are there or the end has come.
std::size_t read_fully(ByteSource& source, char* into, std::size_t most);

}  // namespace overture::data
