// JSON from text and back. nlohmann's parser and writer cost the compiler more than most folders, so they are
// compiled here and nowhere else, and for one kind of value: members keep the order in which they came. Who
// looks into a value includes nlohmann/json.hpp.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace overture {

using Json = nlohmann::ordered_json;

// Discarded if the text is not JSON, or is nested more than 200 deep.
Json parse_json(std::string_view text);

// Throws what nlohmann's parse() throws, and UserError for what is nested too deep.
Json parse_json_or_throw(std::string_view text);

// On one line unless there is an indent. What is not UTF-8 is replaced.
std::string write_json(const Json& value, int indent = -1);

}  // namespace overture
