#include "overture/compute/gemm.h"

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::compute {
namespace {

void check_sides(const Gemm& gemm) {
  for (const std::int64_t side : {gemm.rows, gemm.inner, gemm.columns}) {
    check(side >= 1 && side <= kLargestSide, "the sides of a GEMM are in range once it is read");
  }
}

}  // namespace

Int128 flops(const Gemm& gemm) {
  check_sides(gemm);
  return Int128{2} * gemm.rows * gemm.inner * gemm.columns;
}

Int128 bytes_moved(const Gemm& gemm, Bytes element) {
  check_sides(gemm);
  check(element >= Bytes{1} && element <= kLargestElement,
        "the size of an element is in range once it is read");
  const Int128 left = Int128{gemm.rows} * gemm.inner;
  const Int128 right = Int128{gemm.inner} * gemm.columns;
  const Int128 result = Int128{gemm.rows} * gemm.columns;
  return (left + right + result) * element.count();
}

std::string to_string(const Gemm& gemm) {
  return fmt::format("{} x {} x {}", gemm.rows, gemm.inner, gemm.columns);
}

void throw_too_long(const Gemm& gemm) {
  throw UserError(
      fmt::format("a GEMM of {} takes longer than 106 days, the limit of simulated time", to_string(gemm)));
}

Duration time_at(Int128 amount, std::int64_t per_second, const Gemm& gemm) {
  check(per_second > 0, "a rate is more than zero once it is read");
  constexpr std::int64_t kMostSeconds = Duration::max().count() / std::pico::den - 1;
  // Whole seconds apart from the rest: amount * 10^12 need not fit even in 128 bits.
  const Int128 seconds = amount / per_second;
  if (seconds > kMostSeconds) throw_too_long(gemm);
  const Int128 rest = (amount % per_second) * std::pico::den;
  return Duration{static_cast<std::int64_t>(seconds * std::pico::den + (rest + per_second - 1) / per_second)};
}

}  // namespace overture::compute
