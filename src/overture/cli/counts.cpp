#include "overture/cli/counts.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::cli {
namespace {

// The number at the front; `rest` is what follows.
bool parse_front(const std::string& text, double& number, std::string& rest) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return false;
  rest = {end, static_cast<std::size_t>(text.data() + text.size() - end)};
  return true;
}

}  // namespace

std::int64_t parse_count(const std::string& text, const std::string& option) {
  double number = 0;
  std::string rest;
  const bool parsed = parse_front(text, number, rest);
  const double factor = rest.empty()                 ? 1
                        : rest == "k" || rest == "K" ? 1e3
                        : rest == "M"                ? 1e6
                        : rest == "G"                ? 1e9
                                                     : 0;
  const double product =
      std::round(number * factor * 1e6) / 1e6;  // 1.1 k is 1100, though 1.1 is no binary number
  constexpr double kMost = 1e15;
  if (!parsed || factor == 0 || product < 0 || product > kMost || product != std::floor(product)) {
    throw UserError({.key = option}, fmt::format("\"{}\" is not a whole number from 0 up", text),
                    "such as 250, 64k, 1.5M or 4G");
  }
  return static_cast<std::int64_t>(product);
}

double parse_real(const std::string& text, const std::string& option) {
  double number = 0;
  std::string rest;
  if (parse_front(text, number, rest) && rest.empty()) return number;
  throw UserError({.key = option}, fmt::format("\"{}\" is not a number", text));
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

}  // namespace overture::cli
