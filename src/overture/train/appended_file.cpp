#include "overture/train/appended_file.h"

#include <cerrno>
#include <cstring>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::train {

AppendedFile::AppendedFile(const std::filesystem::path& path, const std::string& text) : path_(path) {
  write_file(path, text);
  file_.reset(std::fopen(path.c_str(), "ab"));
  if (file_ == nullptr) write({});
}

void AppendedFile::write(const std::string& text) {
  if (file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
      std::fflush(file_.get()) == 0)
    return;
  throw UserError({.file = path_.string()}, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace overture::train
