#include "overture/base/gzip.h"

#include <limits>

#include <zlib.h>

#include "overture/base/check.h"

namespace overture {

std::string gzipped(std::string_view text) {
  check(text.size() < std::numeric_limits<uInt>::max(), "what is packed at once is smaller than 4 GB");
  constexpr int kGzipFormat = 15 + 16;  // the largest window, and gzip's header
  constexpr int kLevel = 6;
  constexpr int kMemory = 8;  // zlib's own choice
  z_stream stream{};
  check(deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipFormat, kMemory, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib has the memory it needs");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib only reads it.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  check(status == Z_STREAM_END, "deflateBound leaves enough room");
  return packed;
}

}  // namespace overture
