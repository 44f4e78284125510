#include "overture/serve/http.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "overture/base/csv.h"

namespace overture::serve {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 206: return "Partial Content";
    case 302: return "Found";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 416: return "Range Not Satisfiable";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

// A place in a file; what has more digits than fit lies beyond every file.
std::optional<std::uint64_t> place(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
    return std::nullopt;
  return error == std::errc{} ? value : std::numeric_limits<std::uint64_t>::max();
}

// "a=1&b"; false when something cannot be decoded.
bool take_parameters(std::string_view text, HttpRequest& request) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto name = url_decoded(one.substr(0, equals));
    const auto value = url_decoded(one.substr(std::min(equals + 1, one.size())));
    if (!name || !value) return false;
    request.parameters.emplace_back(*name, *value);
  }
  return true;
}

// "GET /path?a=1 HTTP/1.1"
int take_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  request.method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return 505;
  request.keep_alive = version == "HTTP/1.1";
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::size_t question = std::min(target.find('?'), target.size());
  const auto path = url_decoded(target.substr(0, question));
  if (!target.starts_with('/') || !path) return 400;
  request.path = *path;
  return take_parameters(target.substr(std::min(question + 1, target.size())), request) ? 0 : 400;
}

int take_headers(std::string_view text, HttpRequest& request) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find("\r\n"));
    text.remove_prefix(std::min(line.size() + 2, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return 400;
    request.headers.emplace_back(lower(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
  const std::string connection = lower(request.header("connection"));
  if (connection == "close") request.keep_alive = false;
  if (connection == "keep-alive") request.keep_alive = true;
  // What follows a head would be taken for the next request.
  const std::string length = request.header("content-length");
  if (!request.header("transfer-encoding").empty() || (!length.empty() && length != "0"))
    return request.method == "GET" || request.method == "HEAD" ? 413 : 405;
  return 0;
}

int refusal(std::string_view head) { return head.find("\r\n") == std::string_view::npos ? 414 : 431; }

}  // namespace

std::string HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? "" : found->second;
}

bool HttpRequest::has(std::string_view parameter) const {
  return std::ranges::find(parameters, parameter, &std::pair<std::string, std::string>::first) !=
         parameters.end();
}

std::optional<TakenRequest> take_request(std::string& bytes) {
  while (bytes.starts_with("\r\n")) bytes.erase(0, 2);  // some end a request with an empty line
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (bytes.size() <= kMostHead) return std::nullopt;
    return TakenRequest{.request = {}, .error = refusal(bytes)};
  }
  const std::string head = bytes.substr(0, end);
  bytes.erase(0, end + 4);
  TakenRequest taken;
  if (head.size() > kMostHead) return TakenRequest{.request = {}, .error = refusal(head)};
  const std::size_t line = std::min(head.find("\r\n"), head.size());
  taken.error = take_request_line(std::string_view(head).substr(0, line), taken.request);
  if (taken.error == 0)
    taken.error = take_headers(std::string_view(head).substr(std::min(line + 2, head.size())), taken.request);
  if (taken.error == 0 && taken.request.method != "GET" && taken.request.method != "HEAD") taken.error = 405;
  return taken;
}

std::optional<ByteRange> parse_range(std::string_view header, std::uint64_t size) {
  if (!header.starts_with("bytes=")) return std::nullopt;
  const std::string_view range = header.substr(6);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos || range.find(',') != std::string_view::npos) return std::nullopt;
  const auto first = place(trimmed(range.substr(0, dash)));
  const auto last = place(trimmed(range.substr(dash + 1)));
  if (!first && dash == 0) {  // the last so many bytes
    if (!last) return std::nullopt;
    const std::uint64_t length = std::min(*last, size);
    return ByteRange{size - length, length};
  }
  if (!first || (!last && dash + 1 != range.size()) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return ByteRange{};
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

std::string response_head(const HttpResponse& response, std::uint64_t length,
                          const std::string& content_range, bool keep_alive) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nAccept-Ranges: bytes\r\n"
      "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nConnection: {}\r\n",
      response.status, reason(response.status), response.type, length, keep_alive ? "keep-alive" : "close");
  if (!content_range.empty()) head += fmt::format("Content-Range: {}\r\n", content_range);
  if (!response.location.empty()) head += fmt::format("Location: {}\r\n", response.location);
  if (response.status == 405) head += "Allow: GET, HEAD\r\n";
  return head + "\r\n";
}

std::string url_encoded(std::string_view text, bool is_path) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 128 && std::isalnum(byte) != 0) || c == '-' || c == '_' || c == '.' ||
                       c == '~' || (is_path && c == '/');
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::optional<std::string> url_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    int byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* const digits = text.data() + i + 1;
    const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
    if (error != std::errc{} || end != digits + 2) return std::nullopt;
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

}  // namespace overture::serve
