// Rates of computing as types with units in text: "312 TFLOPS", "940 MHz". The network's rate, Bandwidth, is
// in base/units.h.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "overture/base/result.h"

namespace overture::compute {

class FlopRate {
 public:
  constexpr FlopRate() = default;
  static constexpr FlopRate per_second(std::int64_t n) { return FlopRate{n}; }
  constexpr std::int64_t per_second() const { return per_second_; }
  friend constexpr auto operator<=>(FlopRate, FlopRate) = default;

 private:
  constexpr explicit FlopRate(std::int64_t n) : per_second_(n) {}
  std::int64_t per_second_ = 0;
};

class Frequency {
 public:
  constexpr Frequency() = default;
  static constexpr Frequency hertz(std::int64_t n) { return Frequency{n}; }
  constexpr std::int64_t hertz() const { return hertz_; }
  friend constexpr auto operator<=>(Frequency, Frequency) = default;

 private:
  constexpr explicit Frequency(std::int64_t n) : hertz_(n) {}
  std::int64_t hertz_ = 0;
};

// Read "312 TFLOPS" (or "312 TFLOP/s") and "940 MHz". They fail on a bare number, an unknown unit, and on
// what is not more than zero or too large, and say which units would work.
Result<FlopRate> parse_flop_rate(std::string_view text);
Result<Frequency> parse_frequency(std::string_view text);

}  // namespace overture::compute
