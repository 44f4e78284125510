// Flows as a trace: who sent to whom and when, a process per host and a stream per flow under way, arrows
// from sender to receiver, and how busy the links were. Of large runs a sample, which the file says.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
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

// Writes trace.json.gz, and for HTA a file a rank, into `folder`. Returns what write_trace() does.
TraceWritten write_flow_trace(const std::vector<TracedFlow>& flows, int hosts,
                              const std::vector<TraceCounter>& counters, Duration end,
                              const std::filesystem::path& folder);

}  // namespace overture::report
