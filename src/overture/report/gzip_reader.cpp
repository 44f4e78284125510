#include "overture/report/gzip_reader.h"

#include <zlib.h>

#include "overture/base/error.h"

namespace overture::report {

void GzipReader::Closer::operator()(gzFile_s* file) const { gzclose(file); }

GzipReader::GzipReader(const std::filesystem::path& path)
    : file_(gzopen(path.c_str(), "rb")), buffer_(1 << 18) {
  if (file_ == nullptr) throw UserError({.file = path.string()}, "cannot be read");
  gzbuffer(file_.get(), 1 << 17);
}

GzipReader::int_type GzipReader::underflow() {
  const int count = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  if (count <= 0) {
    int error = Z_OK;
    gzerror(file_.get(), &error);
    if (error != Z_OK && error != Z_STREAM_END) whole_ = false;
    return traits_type::eof();
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
  return traits_type::to_int_type(buffer_.front());
}

}  // namespace overture::report
