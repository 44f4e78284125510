#include "overture/cli/arguments.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "overture/base/text.h"

namespace overture::cli {

std::int64_t parse_count(const std::string& text, const std::string& option) {
  return parsed(overture::parse_count(text), option);
}

double parse_real(const std::string& text, const std::string& option) {
  const auto number = parse_number<double>(text);
  if (number && std::isfinite(*number)) return *number;
  throw UserError({.key = option}, fmt::format("\"{}\" is not a number", text));
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words = split(list, ',');
  std::erase(words, "");
  return words;
}

int parallel_jobs(int asked) {
  if (asked < 0)
    throw UserError({.key = "--jobs"}, fmt::format("{} is less than 0", asked), "0 is one per core");
  return asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace overture::cli
