// For tests: how many random cases are tried.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace overture {

// As many as usual, or by hand as many as OVERTURE_SEEDS says.
inline std::uint64_t seeds(std::uint64_t usual) {
  const char* const asked = std::getenv("OVERTURE_SEEDS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace overture
