// flows.csv of a simulated run: every message, when it was sent and arrived, and which task it belongs to.
// Kept for short runs only; a long one would write gigabytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "overture/network/network.h"
#include "overture/workload/task_graph.h"

namespace overture::report {

// Of more messages than these nothing is written.
inline constexpr std::size_t kMostFlows = 100'000;

class FlowLog {
 public:
  explicit FlowLog(std::size_t most = kMostFlows) : most_(most) {}

  void add(const network::Delivery& delivery);
  // In the order in which they arrived; empty when there were too many.
  std::string csv(const workload::TaskGraph& graph) const;

 private:
  std::size_t most_;
  bool too_many_ = false;
  std::vector<network::Delivery> flows_;
};

}  // namespace overture::report
