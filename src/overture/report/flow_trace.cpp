#include "overture/report/flow_trace.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace overture::report {
namespace {

// Every flow of a host is a row while it lasts; more hosts than these nobody looks through.
constexpr int kMostHosts = 8;
constexpr int kFirstSend = 1;
constexpr int kFirstReceive = 10'001;

struct Host {
  Trace trace;
  StreamLanes sends{kFirstSend};
  StreamLanes receives{kFirstReceive};
};

TraceSlice slice_of(const network::FlowSpec& flow, Duration took, std::size_t number, bool sends) {
  const Bytes nothing;
  TraceSlice slice{.name = sends ? "ncclKernel_Send" : "ncclKernel_Recv",
                   .start = flow.start,
                   .length = took,
                   .args = {{"flow", fmt::format("{}", number)},
                            {"from", fmt::format("{}", index(flow.from))},
                            {"to", fmt::format("{}", index(flow.to))},
                            {"size", to_string(flow.size)}}};
  slice.collective = TraceCollective{.collective = sends ? "send" : "recv",
                                     .in = sends ? flow.size : nothing,
                                     .out = sends ? nothing : flow.size,
                                     .group_size = 2};
  (sends ? slice.flow_out : slice.flow_in) = number + 1;
  return slice;
}

void add(Host& host, TraceSlice slice, bool sends) {
  StreamLanes& lanes = sends ? host.sends : host.receives;
  slice.stream = lanes.take(slice.start, slice.start + slice.length);
  host.trace.name_stream(slice.stream, sends ? "sends" : "receives");
  host.trace.add(std::move(slice));
}

}  // namespace

TraceWritten write_flow_trace(const std::vector<network::FlowSpec>& flows,
                              const std::vector<std::optional<Duration>>& completion, int hosts,
                              const std::vector<TraceCounter>& counters, Duration end,
                              const std::filesystem::path& folder) {
  const std::vector<int> shown = sampled_ranks(hosts, kMostHosts);
  std::map<int, Host> traces;
  for (const int host : shown) {
    Host& made =
        traces.emplace(host, Host{Trace(host, hosts, kMostTraceEvents / shown.size())}).first->second;
    made.trace.name_process(fmt::format("host {}", host));
    made.trace.add(TraceStep{0, Time{}, end});
  }
  for (const TraceCounter& counter : counters) traces.at(shown.front()).trace.add(counter);
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows[a].start < flows[b].start; });
  for (const std::size_t i : order) {
    if (!completion[i]) continue;
    for (const bool sends : {true, false}) {
      const auto host = traces.find(index(sends ? flows[i].from : flows[i].to));
      if (host != traces.end()) add(host->second, slice_of(flows[i], *completion[i], i, sends), sends);
    }
  }
  std::vector<Trace> ranks;
  for (auto& [number, host] : traces) ranks.push_back(std::move(host.trace));
  return write_trace_files(ranks, folder);
}

}  // namespace overture::report
