// How well flows were served, as network engineers ask: slowdown against an empty network, goodput, fairness.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/json.h"
#include "overture/network/flows.h"

namespace overture::report {

struct Slowdown {
  double mean = 1;
  double median = 1;
  double p99 = 1;
  double p999 = 1;
};

struct FlowQuality {
  std::optional<Slowdown> slowdown;  // of flows that finished; none: not known what an empty network gives
  double goodput_gbps = 0;           // payload of flows that finished, over the time of the run
  double fairness = 1;               // Jain's index of the flows' rates: 1 when all are the same
};

// `alone` is what flows take on an empty network (network/empty_network.h), or empty.
FlowQuality flow_quality(const std::vector<network::FlowSpec>& flows, const network::FlowTimes& times,
                         const std::vector<Duration>& alone);

// slowdown_mean, goodput_gbps, ... of a summary.
void add_quality(Json& summary, const FlowQuality& quality);
// Label and value, for people.
std::vector<std::pair<std::string, std::string>> quality_lines(const FlowQuality& quality);

}  // namespace overture::report
