#include "overture/lookahead/forecast.h"

#include <algorithm>

namespace overture::lookahead {

Forecast::Forecast(std::int32_t lookahead, std::int32_t prefetch_depth, std::int64_t capacity)
    : prefetch_depth_(prefetch_depth), capacity_(capacity), rows_(lookahead), added_(lookahead) {}

// A row that is already in the window stays from its last use on; a new one is there from when it is fetched.
bool Forecast::admit(std::int32_t step, std::int32_t batch, const Arrivals& arrivals) {
  const std::int32_t fetched_at = std::max(step, batch - prefetch_depth_ + 1);
  std::int64_t added = 0;
  for (std::int32_t z = step; z <= batch; ++z) {
    if (z == fetched_at) added += arrivals.fresh;
    if (z > step) added += arrivals.kept_since[static_cast<std::size_t>(z - step - 1)];
    if (rows_[place(z)] + added > capacity_) return false;
    added_[static_cast<std::size_t>(z - step)] = added;
  }
  for (std::int32_t z = step; z <= batch; ++z) rows_[place(z)] += added_[static_cast<std::size_t>(z - step)];
  return true;
}

}  // namespace overture::lookahead
