#include "overture/report/page_text.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "overture/base/check.h"
#include "overture/base/json.h"

namespace overture::report {
namespace {

std::string gzip(std::string_view text) {
  check(text.size() < std::numeric_limits<uInt>::max(), "a page is smaller than 4 GB");
  constexpr int kGzipFormat = 15 + 16;  // the largest window, and gzip's header
  constexpr int kLevel = 6;
  z_stream stream{};
  check(deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib has the memory it needs");
  std::string out(deflateBound(&stream, text.size()), '\0');
  // zlib only reads it.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  check(result == Z_STREAM_END, "deflateBound leaves enough room");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

}  // namespace

std::string json_text(std::string_view text) { return write_json(Json(text)); }

std::string gzip_base64(std::string_view text) { return base64(gzip(text)); }

}  // namespace overture::report
