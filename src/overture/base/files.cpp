#include "overture/base/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>

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
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError({.file = path.string()}, std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  if (!ignored) text.reserve(static_cast<std::size_t>(size));
  text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  if (in.bad()) throw UserError({.file = path.string()}, "could not be read to its end");
  return text;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.close();
}

}  // namespace overture
