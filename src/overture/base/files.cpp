#include "overture/base/files.h"

#include <array>
#include <cerrno>
#include <cstring>

#include "overture/base/error.h"
#include "overture/base/memory.h"
#include "overture/base/whole_file.h"

namespace overture {
namespace {

// Of a pipe or device, which may never end.
constexpr std::size_t kMostStreamed = std::size_t{256} << 20;

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::error_code unknown;  // a pipe or device has no size
  if (std::filesystem::is_directory(path, unknown)) {
    throw UserError({.file = path.string()}, "is a folder, not a file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) require_memory(Bytes{static_cast<std::int64_t>(size)}, path.string());
  const File in(std::fopen(path.c_str(), "rb"));
  if (!in) throw UserError({.file = path.string()}, std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  if (!unknown) text.reserve(static_cast<std::size_t>(size));
  std::array<char, 1 << 16> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get())) {
    text.append(piece.data(), got);
    if (unknown && text.size() > kMostStreamed)
      throw UserError({.file = path.string()}, "is no file, and does not end within 256 MiB",
                      "copy what you need of it into a file");
  }
  if (std::ferror(in.get()) != 0)
    throw UserError({.file = path.string()},
                    std::string("could not be read to its end: ") + std::strerror(errno));
  return text;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.close();
}

}  // namespace overture
