#include "overture/base/text.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace overture {
namespace {

// What a letter behind a number multiplies it with; 0 for what is no such letter.
double thousands(std::string_view letter) {
  if (letter.empty()) return 1;
  if (letter == "k" || letter == "K") return 1e3;
  if (letter == "M") return 1e6;
  return letter == "G" ? 1e9 : 0;
}

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > (number < 0 ? 1 : 0); place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Result<std::int64_t> parse_count(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const double factor = thousands({end, static_cast<std::size_t>(last - end)});
  // 1.1 k is 1100, though 1.1 is no binary number.
  const double product = std::round(number * factor * 1e6) / 1e6;
  constexpr double kMost = 1e15;
  if (error != std::errc{} || factor == 0 || !(product >= 0 && product <= kMost) ||
      product != std::floor(product))
    return Error{fmt::format("\"{}\" is not a whole number from 0 up, such as 250, 64k, 1.5M or 1e6", text)};
  return static_cast<std::int64_t>(product);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (!out.empty() && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace overture
