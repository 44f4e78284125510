#include "overture/base/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "overture/base/error.h"

namespace overture {
namespace {

// Deeper values would overflow the stack where they are copied, compared or written.
constexpr int kMostDepth = 200;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return true;
    } else if (c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    }
  }
  return false;
}

}  // namespace

Json parse_json(std::string_view text) {
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

Json parse_json_or_throw(std::string_view text) {
  if (is_too_deep(text)) throw UserError("the JSON is nested more than 200 levels deep");
  return Json::parse(text);
}

std::string write_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace overture
