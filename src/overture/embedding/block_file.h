// Large arrays on disk, in blocks with a checksum each. A file appears under its name only when it is
// complete and on the disk; one that is cut short, damaged or of another kind is an error that says so.
// The format: a line of text, then blocks of a length (8 bytes), a CRC-32 (4) and so many bytes; an empty
// block ends the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "overture/base/files.h"
#include "overture/base/whole_file.h"

namespace overture::embedding {

class BlockWriter {
 public:
  // `kind` is the first line. Throws UserError when the file cannot be written, as all of these do.
  BlockWriter(std::filesystem::path path, const std::string& kind);
  // Cuts large arrays into blocks.
  void write(std::span<const std::byte> bytes);
  void write(std::span<const float> numbers) { write(std::as_bytes(numbers)); }
  void finish();

 private:
  void put_block(const void* data, std::size_t size);

  WholeFile file_;
};

// Reads the file to its end. Throws UserError when it is cut short, damaged or of another kind.
void check_blocks(const std::filesystem::path& path, const std::string& kind);

class BlockReader {
 public:
  // Throws UserError when the file is missing or of another kind; so do the others when it is cut short or
  // damaged.
  BlockReader(const std::filesystem::path& path, const std::string& kind);

  // Exactly as many as were written.
  void read(std::span<float> numbers);
  // The next block, of whatever size; empty at the end.
  void read_block(std::vector<char>& block);
  // The file ends here.
  void finish();

 private:
  void get(void* data, std::size_t size);
  std::uint64_t block_size();
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  File file_;
};

}  // namespace overture::embedding
