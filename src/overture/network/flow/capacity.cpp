#include "overture/network/flow/capacity.h"

#include <algorithm>
#include <utility>

#include "overture/base/error.h"

namespace overture::network::flow {

CapacitySchedule::CapacitySchedule(Duration period, std::vector<CapacityWindow> windows)
    : period_(period), windows_(std::move(windows)) {
  if (period <= Duration::zero()) throw UserError("a schedule of capacity needs a period above zero");
  double most = 0;
  Duration end{};
  for (const CapacityWindow& window : windows_) {
    if (window.from < end || window.to <= window.from || window.to > period) {
      throw UserError("the windows of a schedule are in order, apart, and within its period");
    }
    if (!(window.share >= 0 && window.share <= 1)) {
      throw UserError("a window's share of the capacity is from 0 to 1");
    }
    end = window.to;
    most = std::max(most, window.share);
  }
  if (!(most > 0)) throw UserError("the schedule has no capacity: a flow over this link would never end");
}

double CapacitySchedule::share_at(Time when) const {
  const Duration offset = when.time_since_epoch() % period_;
  const auto window = std::ranges::find_if(
      windows_, [&](const CapacityWindow& w) { return offset >= w.from && offset < w.to; });
  return window == windows_.end() ? 0 : window->share;
}

Time CapacitySchedule::next_change(Time when) const {
  const Duration offset = when.time_since_epoch() % period_;
  const Time start = when - offset;
  for (const CapacityWindow& window : windows_) {
    if (window.from > offset) return start + window.from;
    if (window.to > offset) return start + window.to;
  }
  return start + period_ + (windows_.empty() ? Duration::zero() : windows_.front().from);
}

}  // namespace overture::network::flow
