#include "overture/report/page_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "overture/base/gzip.h"
#include "overture/base/json.h"

namespace overture::report {
namespace {

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

std::string gzip_base64(std::string_view text) { return base64(gzipped(text)); }

}  // namespace overture::report
