// A matrix multiplication, the one operation that the compute models time: (rows x inner) times
// (inner x columns). Says how much work it is; how long it takes is up to a model (compute_model.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "overture/base/units.h"

namespace overture::compute {

struct Gemm {
  std::int64_t rows = 1;
  std::int64_t inner = 1;
  std::int64_t columns = 1;

  friend auto operator<=>(const Gemm&, const Gemm&) = default;
};

// Readers refuse larger numbers, so that products of three sides stay far from the end of Int128.
inline constexpr std::int64_t kLargestSide = 1'000'000'000'000;
inline constexpr Bytes kLargestElement{1024};

// One multiplication and one addition per term.
Int128 flops(const Gemm& gemm);

// Bytes that reach or leave memory when each of the three matrices does so once, the least possible.
Int128 bytes_moved(const Gemm& gemm, Bytes element);

// "64 x 512 x 128": rows, inner, columns.
std::string to_string(const Gemm& gemm);

// Throws the UserError for a time beyond what simulated time can count, 106 days.
[[noreturn]] void throw_too_long(const Gemm& gemm);

// How long `amount` takes at `per_second`, rounded up to a picosecond. `gemm` is named when that is too
// long to count.
Duration time_at(Int128 amount, std::int64_t per_second, const Gemm& gemm);

}  // namespace overture::compute
