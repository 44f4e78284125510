#include "overture/network/flow/config.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::flow {

void require_sound(const FlowConfig& config, const topology::Graph& graph) {
  if (!(config.efficiency > 0 && config.efficiency <= 1)) {
    throw UserError(
        fmt::format("the efficiency of a link is above 0 and at most 1, not {}", config.efficiency));
  }
  if (!(config.tolerance >= 0 && config.tolerance <= 0.1)) {
    throw UserError(fmt::format("the tolerance is from 0 to 0.1, not {}", config.tolerance));
  }
  const std::size_t roles = config.relay.role_of_link.size();
  if (roles != 0 && roles != graph.links().size()) {
    throw UserError(
        fmt::format("roles are given for {} links, but the network has {}", roles, graph.links().size()));
  }
  if (config.schedule_of_link.empty()) return;
  if (config.schedule_of_link.size() != graph.links().size()) {
    throw UserError(fmt::format("schedules are given for {} links, but the network has {}",
                                config.schedule_of_link.size(), graph.links().size()));
  }
  for (const int schedule : config.schedule_of_link) {
    if (schedule < -1 || schedule >= static_cast<int>(config.schedules.size())) {
      throw UserError(
          fmt::format("a link follows schedule {}, but there are {}", schedule, config.schedules.size()));
    }
  }
}

}  // namespace overture::network::flow
