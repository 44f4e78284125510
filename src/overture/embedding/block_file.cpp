#include "overture/embedding/block_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "overture/base/error.h"

namespace overture::embedding {
namespace {

constexpr std::size_t kBlock = std::size_t{4} << 20;

std::uint32_t checksum(const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), size));
}

}  // namespace

BlockWriter::BlockWriter(std::filesystem::path path, const std::string& kind) : file_(std::move(path)) {
  file_.write(kind + "\n");
}

void BlockWriter::write(std::span<const std::byte> bytes) {
  const std::byte* data = bytes.data();
  for (std::size_t left = bytes.size(); left > 0;) {
    const std::size_t size = std::min(left, kBlock);
    put_block(data, size);
    data += size;
    left -= size;
  }
}

void BlockWriter::finish() {
  put_block(nullptr, 0);
  file_.close();
}

void BlockWriter::put_block(const void* data, std::size_t size) {
  const std::uint64_t length = size;
  const std::uint32_t sum = checksum(data, size);
  file_.write(&length, sizeof length);
  file_.write(&sum, sizeof sum);
  if (size > 0) file_.write(data, size);
}

BlockReader::BlockReader(const std::filesystem::path& path, const std::string& kind)
    : path_(path), file_(std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) fail(std::string("cannot be read: ") + std::strerror(errno));
  std::string line(kind.size() + 1, ' ');
  if (std::fread(line.data(), 1, line.size(), file_.get()) != line.size() || line != kind + "\n")
    fail(fmt::format("does not start with \"{}\"", kind));
}

void BlockReader::read(std::span<float> numbers) {
  auto* data = reinterpret_cast<char*>(numbers.data());
  for (std::size_t left = numbers.size_bytes(); left > 0;) {
    const std::size_t expected = std::min(left, kBlock);
    if (block_size() != expected) fail("does not hold what its manifest says");
    std::uint32_t sum = 0;
    get(&sum, sizeof sum);
    get(data, expected);
    if (checksum(data, expected) != sum) fail("has been damaged: a checksum does not match");
    data += expected;
    left -= expected;
  }
}

void BlockReader::read_block(std::vector<char>& block) {
  const std::uint64_t size = block_size();
  if (size > kBlock) fail("has been damaged: a block is too long");
  std::uint32_t sum = 0;
  get(&sum, sizeof sum);
  block.resize(static_cast<std::size_t>(size));
  get(block.data(), block.size());
  if (checksum(block.data(), block.size()) != sum) fail("has been damaged: a checksum does not match");
}

void check_blocks(const std::filesystem::path& path, const std::string& kind) {
  BlockReader reader(path, kind);
  std::vector<char> block(1);
  while (!block.empty()) reader.read_block(block);
}

void BlockReader::finish() {
  if (block_size() != 0) fail("does not hold what its manifest says");
  std::uint32_t sum = 0;
  get(&sum, sizeof sum);
}

std::uint64_t BlockReader::block_size() {
  std::uint64_t size = 0;
  get(&size, sizeof size);
  return size;
}

void BlockReader::get(void* data, std::size_t size) {
  if (std::fread(data, 1, size, file_.get()) != size) fail("is cut short");
}

void BlockReader::fail(const std::string& what) const {
  throw UserError({.file = path_.string()}, what,
                  "without this checkpoint's folder, the one before it is used");
}

}  // namespace overture::embedding
