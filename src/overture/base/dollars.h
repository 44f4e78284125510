// Money as a type; text carries its unit both ways: "1200 $".
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "overture/base/result.h"

namespace overture {

class Dollars {
 public:
  constexpr Dollars() = default;
  constexpr explicit Dollars(double amount) : amount_(amount) {}
  constexpr double amount() const { return amount_; }
  friend constexpr auto operator<=>(Dollars, Dollars) = default;

 private:
  double amount_ = 0;
};

// "1200 $", "0.5 $"; fails on a bare number and a negative one.
Result<Dollars> parse_dollars(std::string_view text);

// For people: whole dollars. For files: so that parsing gives the same value back.
std::string to_string(Dollars money);
std::string exact(Dollars money);

}  // namespace overture
