#include "overture/base/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include <unistd.h>

#include "overture/base/error.h"

namespace overture {

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw UserError({.file = path.string()}, "is a folder, not a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError({.file = path.string()}, std::string("cannot be read: ") + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw UserError({.file = path.string()}, "reading failed half way");
  return text;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path partial = path;
  partial += ".part" + std::to_string(getpid());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(partial.c_str(), "wb"), [](std::FILE* f) { return f == nullptr ? 0 : std::fclose(f); });
  const auto fail = [&] {
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw UserError({.file = path.string()}, "cannot be written: " + why);
  };
  if (file == nullptr) fail();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    fail();
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (error) {
    errno = error.value();
    fail();
  }
}

}  // namespace overture
