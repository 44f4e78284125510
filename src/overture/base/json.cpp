#include "overture/base/json.h"

#include <nlohmann/json.hpp>

namespace overture {

template <class Json>
Json parse_json(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

template <class Json>
Json parse_json_or_throw(std::string_view text) {
  return Json::parse(text);
}

template <class Json>
std::string write_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template nlohmann::json parse_json(std::string_view);
template nlohmann::json parse_json_or_throw(std::string_view);
template std::string write_json(const nlohmann::json&, int);
template nlohmann::ordered_json parse_json(std::string_view);
template nlohmann::ordered_json parse_json_or_throw(std::string_view);
template std::string write_json(const nlohmann::ordered_json&, int);

}  // namespace overture
