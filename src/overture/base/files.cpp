#include "overture/base/files.h"

#include <array>
#include <cerrno>
#include <cstring>

#include "overture/base/error.h"
#include "overture/base/memory.h"
#include "overture/base/whole_file.h"

namespace overture {

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw UserError({.file = path.string()}, "is a folder, not a file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored) require_memory(Bytes{static_cast<std::int64_t>(size)}, path.string());
  const File in(std::fopen(path.c_str(), "rb"));
  if (!in) throw UserError({.file = path.string()}, std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  if (!ignored) text.reserve(static_cast<std::size_t>(size));
  std::array<char, 1 << 16> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get()))
    text.append(piece.data(), got);
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
