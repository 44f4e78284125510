#include "overture/report/completion_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace overture::report {

CompletionTimes::CompletionTimes(const std::vector<std::optional<Duration>>& completion) {
  for (const auto& time : completion) {
    if (time) sorted_.push_back(*time);
  }
  std::sort(sorted_.begin(), sorted_.end());
}

Duration CompletionTimes::mean() const {
  if (sorted_.empty()) return {};
  return std::accumulate(sorted_.begin(), sorted_.end(), Duration{}) /
         static_cast<std::int64_t>(sorted_.size());
}

Duration CompletionTimes::percentile(double percent) const {
  if (sorted_.empty()) return {};
  const auto per_mille = static_cast<std::size_t>(std::llround(10 * percent));
  const std::size_t rank = (sorted_.size() * per_mille + 999) / 1000;
  return sorted_[std::max<std::size_t>(rank, 1) - 1];
}

std::string CompletionTimes::distribution_csv() const {
  constexpr std::size_t kMost = 1000;
  const std::size_t points = std::min(sorted_.size(), kMost);
  std::string text = "share_of_flows,fct_us\n";
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t rank = (sorted_.size() * i + points - 1) / points;
    text += fmt::format("{:.4f},{:.6f}\n", static_cast<double>(rank) / static_cast<double>(sorted_.size()),
                        to_us(sorted_[rank - 1]));
  }
  return text;
}

}  // namespace overture::report
