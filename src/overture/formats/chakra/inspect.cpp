#include "overture/formats/chakra/inspect.h"

#include <algorithm>

#include <fmt/format.h>

namespace overture::chakra {
namespace {

std::string communication_name(const RankTrace& trace, const Node& node) {
  if (node.kind != NodeKind::collective) return std::string(name(node.kind));
  const std::string_view group = trace.group(node);
  const std::string kind(node.is(Has::comm_type) ? name(node.collective()) : "collective of no type");
  return group.empty() ? kind : fmt::format("{} in group {}", kind, group);
}

void count_nodes(const RankTrace& trace, Inspection& result) {
  for (const Node& node : trace.nodes) {
    ++result.of_kind[std::min<std::size_t>(static_cast<std::size_t>(node.kind), kNodeKinds)];
    result.dependencies += node.parents;
    result.roots += node.parents == 0 ? 1 : 0;
    const bool communicates = node.communicates();
    if (!communicates && node.kind != NodeKind::compute) continue;
    Inspection::Sum& sum =
        communicates ? result.communication[communication_name(trace, node)] : result.compute;
    ++sum.count;
    sum.bytes += communicates ? node.comm_size : node.tensor_size;
    sum.micros += node.duration_micros;
  }
}

// The chain of dependencies with the largest sum of recorded durations.
void find_critical_path(const RankTrace& trace, Inspection& result) {
  auto [missing, children, order] = dependents_of(trace);
  std::vector<std::uint64_t> until(trace.nodes.size());
  std::vector<std::int64_t> from(trace.nodes.size(), -1);
  for (std::size_t done = 0; done < order.size(); ++done) {
    const std::uint32_t n = order[done];
    until[n] += trace.nodes[n].duration_micros;
    for (const std::uint32_t child : children[n]) {
      if (from[child] < 0 || until[n] > until[child]) {
        until[child] = until[n];
        from[child] = n;
      }
      if (--missing[child] == 0) order.push_back(child);
    }
  }
  if (until.empty()) return;
  const auto last = std::max_element(until.begin(), until.end());
  result.critical_micros = *last;
  for (std::int64_t n = last - until.begin(); n >= 0; n = from[static_cast<std::size_t>(n)])
    result.critical_path.push_back(static_cast<std::uint32_t>(n));
  std::reverse(result.critical_path.begin(), result.critical_path.end());
}

void find_missing(const RankTrace& trace, Inspection& result) {
  std::uint64_t untimed = 0;
  std::uint64_t unsized_count = 0;
  std::uint64_t unmodelled = 0;
  std::uint64_t peerless = 0;
  for (const Node& node : trace.nodes) {
    const bool communicates = node.communicates();
    const bool computes = node.kind == NodeKind::compute;
    const bool modelled = node.is(Has::num_ops) && node.is(Has::tensor_size);
    untimed += computes && node.duration_micros == 0 && !modelled ? 1 : 0;
    unmodelled += computes && !modelled ? 1 : 0;
    unsized_count += communicates && !node.is(Has::comm_size) ? 1 : 0;
    peerless += (node.kind == NodeKind::send && !node.is(Has::destination)) ||
                        (node.kind == NodeKind::receive && !node.is(Has::source))
                    ? 1
                    : 0;
  }
  const auto say = [&](std::uint64_t count, std::string_view text) {
    if (count > 0) result.missing.push_back(fmt::format("{} {}", count, text));
  };
  say(untimed, "compute nodes have no duration, num_ops or tensor_size: they take 1 ns");
  say(unmodelled, "compute nodes lack num_ops or tensor_size: no roofline can time them");
  say(unsized_count, "communication nodes have no comm_size: they cannot be simulated");
  say(peerless, "sends or receives name no peer: they cannot be simulated");
  say(result.of_kind[kNodeKinds], "nodes are of a kind newer than schema 0.0.4");
}

}  // namespace

Inspection inspect(const RankTrace& trace) {
  Inspection result{.nodes = trace.nodes.size(), .memory = trace.memory()};
  count_nodes(trace, result);
  find_critical_path(trace, result);
  find_missing(trace, result);
  return result;
}

}  // namespace overture::chakra
