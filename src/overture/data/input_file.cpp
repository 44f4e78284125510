#include "overture/data/input_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture::data {

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
  const auto fail = [this] {
    const std::string why = std::strerror(errno);
    if (descriptor_ >= 0) ::close(descriptor_);
    throw UserError({.file = name_}, "cannot be read: " + why);
  };
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail();
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail();
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw UserError({.file = name_}, "is a folder, not a file");
  }
  size_ = status.st_size;
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read_at(std::int64_t place, char* into, std::size_t most) const {
  std::size_t done = 0;
  while (done < most) {
    const ssize_t got =
        ::pread(descriptor_, into + done, most - done, place + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw UserError({.file = name_}, std::string("reading failed: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace overture::data
