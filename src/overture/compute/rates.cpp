#include "overture/compute/rates.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>

#include <fmt/format.h>

namespace overture::compute {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

constexpr std::array kFlopUnits{Unit{"MFLOPS", 1e6},   Unit{"GFLOPS", 1e9},  Unit{"TFLOPS", 1e12},
                                Unit{"PFLOPS", 1e15},  Unit{"MFLOP/s", 1e6}, Unit{"GFLOP/s", 1e9},
                                Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}};
constexpr std::array kFrequencyUnits{Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};

std::string names(std::span<const Unit> units) {
  std::string text;
  for (const Unit& unit : units) text += fmt::format("{}{}", text.empty() ? "" : ", ", unit.name);
  return text;
}

constexpr double kMost = 9.2e18;  // as of other quantities

Result<std::int64_t> parse_rate(std::string_view text, std::string_view example,
                                std::span<const Unit> units) {
  const std::string copy(text);  // strtod wants a terminator
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || !std::isfinite(number)) {
    return Error{
        fmt::format("\"{}\" is not a rate; write a number and a unit, such as \"{}\"", text, example)};
  }
  std::string_view name(end);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double rate = number * unit.scale;
    if (rate < 1) return Error{fmt::format("\"{}\" is not more than zero", text)};
    if (rate >= kMost)
      return Error{
          fmt::format("\"{}\" is too large; at most {:.0f} {}", text, kMost / unit.scale, unit.name)};
    return static_cast<std::int64_t>(std::llround(rate));
  }
  return Error{fmt::format("\"{}\" has {}; write for example \"{}\" (units: {})", text,
                           name.empty() ? "no unit" : "an unknown unit", example, names(units))};
}

}  // namespace

Result<FlopRate> parse_flop_rate(std::string_view text) {
  auto rate = parse_rate(text, "312 TFLOPS", kFlopUnits);
  if (!rate) return Error{rate.error()};
  return FlopRate::per_second(rate.value());
}

Result<Frequency> parse_frequency(std::string_view text) {
  auto rate = parse_rate(text, "940 MHz", kFrequencyUnits);
  if (!rate) return Error{rate.error()};
  return Frequency::hertz(rate.value());
}

}  // namespace overture::compute
