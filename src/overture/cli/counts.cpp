#include "overture/cli/counts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

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
  const Result<std::int64_t> count = overture::parse_count(text);
  if (!count) throw UserError({.key = option}, count.error());
  return count.value();
}

double parse_real(const std::string& text, const std::string& option) {
  double number = 0;
  std::string rest;
  if (parse_front(text, number, rest) && rest.empty()) return number;
  throw UserError({.key = option}, fmt::format("\"{}\" is not a number", text));
}

int parallel_jobs(int asked) {
  if (asked < 0)
    throw UserError({.key = "--jobs"}, fmt::format("{} is less than 0", asked), "0 is one per core");
  return asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > (number < 0 ? 1 : 0); place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

}  // namespace overture::cli
