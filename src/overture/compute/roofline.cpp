#include "overture/compute/roofline.h"

#include <algorithm>
#include <cmath>

#include "overture/base/check.h"

namespace overture::compute {

Duration Roofline::time(const Gemm& gemm, Bytes element) const {
  check(efficiency > 0 && efficiency <= 1, "an efficiency is above 0 and at most 1 once it is read");
  const auto reached = std::llround(static_cast<double>(peak.per_second()) * efficiency);
  const Duration arithmetic = time_at(flops(gemm), std::max<std::int64_t>(reached, 1), gemm);
  if (memory == Bandwidth{}) return arithmetic;
  const Duration traffic = time_at(bytes_moved(gemm, element) * 8, memory.bits_per_second(), gemm);
  return std::max(arithmetic, traffic);
}

}  // namespace overture::compute
