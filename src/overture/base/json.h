// JSON from text and back. nlohmann's parser and writer cost the compiler more than most folders, so they are
// compiled here and nowhere else. `Json` is nlohmann::json or nlohmann::ordered_json.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace overture {

// Discarded if the text is not JSON.
template <class Json>
Json parse_json(std::string_view text);

// Throws what nlohmann's parse() throws.
template <class Json>
Json parse_json_or_throw(std::string_view text);

// On one line unless there is an indent. What is not UTF-8 is replaced.
template <class Json>
std::string write_json(const Json& value, int indent = -1);

}  // namespace overture
