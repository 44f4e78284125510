#include "overture/train/appended_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::train {

AppendedFile::AppendedFile(const std::filesystem::path& path, const std::string& text)
    : path_(path), size_(static_cast<std::int64_t>(text.size())) {
  write_file(path, text);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail();
}

AppendedFile::~AppendedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// In one call: whoever follows the file, or finds it after a crash, sees the old end or the new one.
void AppendedFile::replace_end(std::size_t bytes, const std::string& text) {
  const std::int64_t at = size_ - static_cast<std::int64_t>(bytes);
  std::size_t done = 0;
  while (done < text.size()) {
    const std::int64_t written = disk().write(descriptor_, at + static_cast<std::int64_t>(done),
                                              text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail();
    done += static_cast<std::size_t>(written);
  }
  size_ = at + static_cast<std::int64_t>(text.size());
}

void AppendedFile::fail() const {
  throw UserError({.file = path_.string()}, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace overture::train
