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

GzipFile::GzipFile(std::filesystem::path path) : path_(std::move(path)), whole_(path_) {
  errno = 0;
  file_.reset(gzdopen(dup(whole_.descriptor()), "wb6"));
  if (file_ == nullptr) fail();
  gzbuffer(file_.get(), kBuffer);
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
  whole_.close();
}

void GzipFile::fail() {
  const std::string why = errno != 0 ? std::strerror(errno) : "not enough memory";
  file_.reset();
  throw UserError({.file = path_.string()}, "cannot be written: " + why);
}

}  // namespace overture::report
