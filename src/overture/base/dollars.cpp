#include "overture/base/dollars.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace overture {

Result<Dollars> parse_dollars(std::string_view text) {
  const std::string copy(text);  // strtod wants a terminator
  char* end = nullptr;
  const double amount = std::strtod(copy.c_str(), &end);
  std::string_view unit(end);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (end == copy.c_str() || unit != "$" || !std::isfinite(amount))
    return Error{fmt::format("\"{}\" is not a price; write for example \"1200 $\"", text)};
  if (amount < 0) return Error{fmt::format("\"{}\" is negative", text)};
  return Dollars{amount};
}

std::string to_string(Dollars money) { return fmt::format("{:.0f} $", money.amount()); }
std::string exact(Dollars money) { return fmt::format("{} $", money.amount()); }

}  // namespace overture
