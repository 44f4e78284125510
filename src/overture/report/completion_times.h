// Completion times of flows as people ask for them: mean, percentiles, the distribution.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/base/units.h"

namespace overture::report {

class CompletionTimes {
 public:
  // Of the flows that finished; the others do not count.
  explicit CompletionTimes(const std::vector<std::optional<Duration>>& completion);

  bool empty() const { return sorted_.empty(); }
  // 0 when there are none, as below.
  Duration mean() const;
  // Nearest rank; 99.9 is one, too.
  Duration percentile(double percent) const;
  // share_of_flows,fct_us: at most 1,000 points.
  std::string distribution_csv() const;

 private:
  std::vector<Duration> sorted_;
};

}  // namespace overture::report
