#include "overture/setup/traffic.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/memory.h"

namespace overture::setup {
namespace {

[[noreturn]] void fail(const TrafficLimits& limits, const std::string& key, const std::string& what,
                       const std::string& hint = {}) {
  throw UserError({.file = limits.file, .key = key}, what, hint);
}

// Before so many are made: a flow and its connection take about this much.
void require_memory_for(double flows) {
  constexpr double kFlowBytes = 300;
  require_memory(Bytes{static_cast<std::int64_t>(std::min(flows * kFlowBytes, 9e18))},
                 fmt::format("a list of {:.0f} flows", flows));
}

}  // namespace

std::vector<network::FlowSpec> make_traffic(const TrafficPattern& t, int hosts, const TrafficLimits& limits) {
  using namespace network::packet;
  if (t.kind == "all_to_all") {
    require_memory_for(static_cast<double>(hosts) * (t.group > 0 ? t.group : hosts));
    if (t.group < 0 || (t.group > 0 && hosts % t.group != 0)) {
      fail(limits, "traffic.group", fmt::format("{} does not divide {} hosts", t.group, hosts));
    }
    return all_to_all(hosts, t.size, t.order, t.group);
  }
  if (t.kind == "permutation") return permutation(hosts, t.size, limits.seed);
  if (t.kind == "ring") return ring(hosts, t.size);
  if (t.kind == "incast") {
    if (t.senders < 0 || t.senders >= hosts)
      fail(limits, "traffic.senders", fmt::format("{} senders with {} hosts", t.senders, hosts));
    return incast(t.senders == 0 ? hosts - 1 : t.senders, t.size);
  }
  if (t.kind.empty())
    fail(limits, "traffic.pattern", "is missing", "name a pattern, or a list of flows with --flows");
  fail(limits, "traffic.pattern", fmt::format("unknown pattern \"{}\"", t.kind),
       suggest(t.kind, {"all_to_all", "permutation", "incast", "ring"}));
}

}  // namespace overture::setup
