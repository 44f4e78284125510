// Small things to do with text for people.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/result.h"

namespace overture {

// Breaks `text` at spaces so that no line is longer than `width`, its own indent included; lines after the
// first start with `indent` spaces, which the first is assumed to have already.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// What stands before, between and behind the separators: always one more than there are of them.
std::vector<std::string> split(std::string_view text, char separator);

// The number that is the whole of `text`, as std::from_chars reads it; nothing if it is another text, or too
// large.
template <class Number, class... Base>
std::optional<Number> parse_number(std::string_view text, Base... base) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base...);
  return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

// "1 host", "16 hosts"; "1 other run", "3 other runs".
std::string counted(std::int64_t count, std::string_view noun);

// "1,234,567".
std::string with_commas(std::int64_t number);

// "250", "64k", "1.5M", "4G" (thousands, millions, thousand millions) or "1e6": a whole number from 0 up.
Result<std::int64_t> parse_count(std::string_view text);

}  // namespace overture
