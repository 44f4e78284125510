// Flows as a trace: who sent to whom and when, a process per host and a stream per flow under way, arrows
// from sender to receiver, and how busy the links were. Of large runs a sample, which the file says.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "overture/base/ids.h"
#include "overture/report/trace.h"

namespace overture::report {

struct TracedFlow {
  Rank from;
  Rank to;
  Bytes size;
  Time start{};
  std::optional<Duration> length;  // none: it did not finish
};

// Flows of either packet engine with how long they took.
template <class Spec>
std::vector<TracedFlow> traced(const std::vector<Spec>& flows,
                               const std::vector<std::optional<Duration>>& completion) {
  std::vector<TracedFlow> result;
  result.reserve(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i)
    result.push_back({flows[i].from, flows[i].to, flows[i].size, flows[i].start, completion[i]});
  return result;
}

// Writes trace.json.gz, and for HTA a file a rank, into `folder`. Returns what write_trace() does.
TraceWritten write_flow_trace(const std::vector<TracedFlow>& flows, int hosts,
                              const std::vector<TraceCounter>& counters, Duration end,
                              const std::filesystem::path& folder);

}  // namespace overture::report
