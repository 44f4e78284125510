#include "overture/base/json.h"

#include <nlohmann/json.hpp>

namespace overture {

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

Json parse_json_or_throw(std::string_view text) { return Json::parse(text); }

std::string write_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace overture
