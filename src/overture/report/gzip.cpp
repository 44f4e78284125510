#include "overture/report/gzip.h"

#include <algorithm>
#include <utility>

#include <zlib.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::report {
namespace {

constexpr std::size_t kPiece = 1 << 18;
constexpr std::size_t kLargestWrite = 1 << 30;  // zlib counts with 32 bits
constexpr int kGzip = 15 + 16;                  // the largest window, and gzip's header and end
constexpr int kMemory = 8;                      // zlib's own choice

}  // namespace

struct GzipFile::Stream {
  z_stream zlib{};
  std::string out = std::string(kPiece, '\0');

  ~Stream() { deflateEnd(&zlib); }
};

GzipFile::GzipFile(std::filesystem::path path)
    : whole_(std::move(path)), stream_(std::make_unique<Stream>()) {
  if (deflateInit2(&stream_->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
}

GzipFile::~GzipFile() = default;

void GzipFile::put(std::string_view text, bool ends) {
  z_stream& zlib = stream_->zlib;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<unsigned>(text.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    zlib.avail_out = static_cast<unsigned>(stream_->out.size());
    check(deflate(&zlib, ends ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR, "a stream is whole");
    whole_.write(stream_->out.data(), stream_->out.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
}

void GzipFile::write(std::string_view text) {
  check(stream_ != nullptr, "a closed file is not written to");
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), kLargestWrite);
    put(text.substr(0, size), false);
    text.remove_prefix(size);
  }
}

void GzipFile::close() {
  check(stream_ != nullptr, "a file is closed once");
  put({}, true);
  stream_.reset();
  whole_.close();
}

}  // namespace overture::report
