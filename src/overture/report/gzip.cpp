#include "overture/report/gzip.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>
#include <zlib.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::report {
namespace {

constexpr unsigned kBuffer = 1 << 18;
constexpr std::size_t kLargestWrite = 1 << 30;  // gzwrite answers with an int

}  // namespace

void GzipFile::Closer::operator()(gzFile_s* file) const { gzclose(file); }

GzipFile::GzipFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  partial_ += ".part" + std::to_string(getpid());
  errno = 0;
  file_.reset(gzopen(partial_.c_str(), "wb6"));
  if (file_ == nullptr) fail();
  gzbuffer(file_.get(), kBuffer);
}

GzipFile::~GzipFile() {
  if (file_ == nullptr) return;
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void GzipFile::write(std::string_view text) {
  check(file_ != nullptr, "a closed file is not written to");
  while (!text.empty()) {
    const auto size = static_cast<unsigned>(std::min(text.size(), kLargestWrite));
    errno = 0;
    if (gzwrite(file_.get(), text.data(), size) != static_cast<int>(size)) fail();
    text.remove_prefix(size);
  }
}

void GzipFile::close() {
  check(file_ != nullptr, "a file is closed once");
  errno = 0;
  if (gzclose(file_.release()) != Z_OK) fail();
  std::error_code error;
  std::filesystem::rename(partial_, path_, error);
  if (error) {
    errno = error.value();
    fail();
  }
}

void GzipFile::fail() {
  const std::string why = errno != 0 ? std::strerror(errno) : "not enough memory";
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  throw UserError({.file = path_.string()}, "cannot be written: " + why);
}

}  // namespace overture::report
