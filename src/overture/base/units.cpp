#include "overture/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t scale;  // how many base units (ps, B, bit/s) one of these is
};

constexpr std::int64_t kKilo = 1000;
constexpr std::int64_t kKibi = 1024;

// Smallest first: printing takes the last one that fits.
constexpr std::array kTimeUnits{Unit{"ps", 1}, Unit{"ns", kKilo}, Unit{"us", kKilo* kKilo},
                                Unit{"ms", kKilo* kKilo* kKilo}, Unit{"s", kKilo* kKilo* kKilo* kKilo}};
constexpr std::array kBinarySizes{Unit{"B", 1}, Unit{"KiB", kKibi}, Unit{"MiB", kKibi* kKibi},
                                  Unit{"GiB", kKibi* kKibi* kKibi}, Unit{"TiB", kKibi* kKibi* kKibi* kKibi}};
constexpr std::array kDecimalSizes{Unit{"kB", kKilo}, Unit{"MB", kKilo* kKilo},
                                   Unit{"GB", kKilo* kKilo* kKilo}, Unit{"TB", kKilo* kKilo* kKilo* kKilo}};
constexpr std::array kBitRates{Unit{"bps", 1}, Unit{"kbps", kKilo}, Unit{"Mbps", kKilo* kKilo},
                               Unit{"Gbps", kKilo* kKilo* kKilo}, Unit{"Tbps", kKilo* kKilo* kKilo* kKilo}};
constexpr std::array kByteRates{Unit{"B/s", 8},
                                Unit{"kB/s", 8 * kKilo},
                                Unit{"MB/s", 8 * kKilo* kKilo},
                                Unit{"GB/s", 8 * kKilo* kKilo* kKilo},
                                Unit{"TB/s", 8 * kKilo* kKilo* kKilo* kKilo},
                                Unit{"KiB/s", 8 * kKibi},
                                Unit{"MiB/s", 8 * kKibi* kKibi},
                                Unit{"GiB/s", 8 * kKibi* kKibi* kKibi},
                                Unit{"TiB/s", 8 * kKibi* kKibi* kKibi* kKibi}};

std::string names(std::span<const Unit> a, std::span<const Unit> b) {
  std::string text;
  for (const std::span<const Unit> units : {a, b}) {
    for (const Unit& unit : units) text += fmt::format("{}{}", text.empty() ? "" : ", ", unit.name);
  }
  return text;
}

const Unit* find(std::string_view name, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// Four significant digits in the largest unit that keeps the number at or above one.
std::string readable(std::int64_t count, std::span<const Unit> units) {
  const double magnitude = std::abs(static_cast<double>(count));
  const Unit* unit = &units.front();
  for (const Unit& candidate : units) {
    if (magnitude >= static_cast<double>(candidate.scale)) unit = &candidate;
  }
  const double value = static_cast<double>(count) / static_cast<double>(unit->scale);
  if (unit->scale == 1 && std::abs(value) < 1e4) return fmt::format("{} {}", count, unit->name);
  const double size = std::abs(value);
  const int decimals = size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit->name);
}

constexpr std::int64_t kMost = 9'200'000'000'000'000'000;  // almost as much as there can be; a round number

// "1.5 us" -> 1'500'000 in base units, rounded to the nearest whole one.
Result<std::int64_t> parse_quantity(std::string_view text, std::string_view example,
                                    std::span<const Unit> units, std::span<const Unit> more = {}) {
  const std::string copy(text);  // strtod wants a terminator
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || !std::isfinite(number)) {
    return Error{
        fmt::format("\"{}\" is not a quantity; write a number and a unit, such as \"{}\"", text, example)};
  }
  std::string_view name(end);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (name.empty()) {
    return Error{fmt::format("\"{}\" has no unit; write for example \"{}\" (units: {})", text, example,
                             names(units, more))};
  }
  const Unit* unit = find(name, units);
  if (unit == nullptr) unit = find(name, more);
  if (unit == nullptr) return Error{fmt::format("unknown unit \"{}\" (units: {})", name, names(units, more))};
  if (number < 0) return Error{fmt::format("\"{}\" is negative", text)};
  const double scaled = number * static_cast<double>(unit->scale);
  if (scaled >= static_cast<double>(kMost))
    return Error{fmt::format("\"{}\" is too large; at most {}", text, readable(kMost, units))};
  // A double holds whole numbers up to 2^53 only: 2.5 hours in picoseconds.
  std::int64_t whole = 0;
  const auto [stop, error] = std::from_chars(copy.data(), end, whole);
  if (error == std::errc{} && stop == end) return whole * unit->scale;
  return static_cast<std::int64_t>(std::llround(scaled));
}

std::string lossless(std::int64_t count, std::span<const Unit> units) {
  const Unit* unit = &units.front();
  for (const Unit& candidate : units) {
    if (count != 0 && count % candidate.scale == 0) unit = &candidate;
  }
  return fmt::format("{} {}", count / unit->scale, unit->name);
}

}  // namespace

void check_transfer_ns(double ns) {
  if (ns >= 0 && ns <= to_ns(kLongestTransfer)) [[likely]]
    return;
  throw UserError(fmt::format("a message takes {:.3g} hours", ns / 3.6e12),
                  "at most one is simulated; look for a size, a rate or a latency with a wrong unit");
}

void check_horizon(Time when) {
  if (when <= kHorizon) [[likely]]
    return;
  throw UserError("the run lasts longer than ten days of simulated time",
                  "look for a time, a size or a rate with a wrong unit, or simulate fewer passes");
}

Result<Duration> parse_duration(std::string_view text) {
  auto count = parse_quantity(text, "1.5 us", kTimeUnits);
  if (!count) return Error{count.error()};
  return Duration{count.value()};
}

Result<Bytes> parse_bytes(std::string_view text) {
  auto count = parse_quantity(text, "64 MiB", kBinarySizes, kDecimalSizes);
  if (!count) return Error{count.error()};
  return Bytes{count.value()};
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  auto count = parse_quantity(text, "100 Gbps", kBitRates, kByteRates);
  if (!count) return Error{count.error()};
  return Bandwidth::bits_per_second(count.value());
}

std::string to_string(Duration d) { return readable(d.count(), kTimeUnits); }
std::string to_string(Bytes size) { return readable(size.count(), kBinarySizes); }
std::string to_string(Bandwidth rate) { return readable(rate.bits_per_second(), kBitRates); }

std::string exact(Duration d) { return lossless(d.count(), kTimeUnits); }
std::string exact(Bytes size) { return lossless(size.count(), kBinarySizes); }

std::string exact(Bandwidth rate) {
  // Whole or half GiB/s come from ASTRA-sim files and read best that way; all else in bits.
  constexpr std::int64_t kGiB = 8 * kKibi * kKibi * kKibi;
  if (rate.bits_per_second() % (kGiB / 8) == 0 && rate.bits_per_second() > 0) {
    return fmt::format("{} GiB/s", static_cast<double>(rate.bits_per_second()) / static_cast<double>(kGiB));
  }
  return lossless(rate.bits_per_second(), kBitRates);
}

}  // namespace overture
