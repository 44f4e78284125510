// Flows as a trace: who sent to whom and when, a process per host and a stream per flow under way, arrows
// from sender to receiver, and how busy the links were. Of large runs a sample, which the file says.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "overture/network/flows.h"
#include "overture/report/trace.h"

namespace overture::report {

// Of the flows that finished, with how long each took. Writes trace.json.gz, and for HTA a file a rank, into
// `folder`. Returns what write_trace() does.
TraceWritten write_flow_trace(const std::vector<network::FlowSpec>& flows,
                              const std::vector<std::optional<Duration>>& completion, int hosts,
                              const std::vector<TraceCounter>& counters, Duration end,
                              const std::filesystem::path& folder);

}  // namespace overture::report
