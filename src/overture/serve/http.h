// HTTP/1.1 as far as a read-only server needs it: a request out of bytes, and the head of an answer. Knows no
// sockets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overture::serve {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded, without what follows a question mark
  std::vector<std::pair<std::string, std::string>> parameters;  // decoded
  std::vector<std::pair<std::string, std::string>> headers;     // names in lower case
  bool keep_alive = true;

  std::string header(std::string_view name) const;
  bool has(std::string_view parameter) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::optional<std::filesystem::path> file{};  // in place of the body
  std::string location{};
};

// No request's head is longer: line and headers together.
inline constexpr std::size_t kMostHead = 16 << 10;

// Takes the head of one request from the front of `bytes`. Nothing while it is not all there.
struct TakenRequest {
  HttpRequest request;
  int error = 0;  // a status, if what stood there is not one that we answer; the connection then ends
};
std::optional<TakenRequest> take_request(std::string& bytes);

// Part of a file: from the first byte on, so many of them.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};
// What a Range header asks of a file. Nothing: all of it, also where we do not understand the header. A
// length of 0: none of it, for it begins past the end.
std::optional<ByteRange> parse_range(std::string_view header, std::uint64_t size);

// The status line and headers; `length` bytes follow, of a file of `size`.
std::string response_head(const HttpResponse& response, std::uint64_t length,
                          const std::string& content_range, bool keep_alive);

// For a link or a Location: all but letters, digits, a few signs and, in paths, slashes as %XX.
std::string url_encoded(std::string_view text, bool is_path = false);
// Back; nothing when a % is not followed by two digits.
std::optional<std::string> url_decoded(std::string_view text);

}  // namespace overture::serve
