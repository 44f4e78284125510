#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/check.h"
#include "overture/formats/chakra/graph.h"
#include "overture/formats/chakra/writer.h"

namespace overture::chakra {
namespace {

using workload::CollectiveTask;
using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

Collective chakra_kind(system::CollectiveKind kind) {
  switch (kind) {
    case system::CollectiveKind::all_reduce: return Collective::all_reduce;
    case system::CollectiveKind::all_to_all: return Collective::all_to_all;
    case system::CollectiveKind::all_gather: return Collective::all_gather;
    case system::CollectiveKind::reduce_scatter: return Collective::reduce_scatter;
    case system::CollectiveKind::broadcast: return Collective::broadcast;
    case system::CollectiveKind::barrier: return Collective::barrier;
  }
  return Collective::all_reduce;
}

bool of_everyone(const TaskGraph& graph, workload::RankGroup group) {
  return graph.group(group).ranks.empty() || graph.group_size(group) == graph.ranks();
}

// Microseconds are all that the format has; what they cut off is kept in an attribute of our own.
Node compute_node(Duration duration) {
  const std::int64_t ns = duration / Nanoseconds{1};
  Node node{.duration_micros = static_cast<std::uint64_t>((ns + 500) / 1000), .kind = NodeKind::compute};
  node.duration_ns = static_cast<std::uint64_t>(ns);
  node.set(Has::nanoseconds);
  node.set(Has::cpu_said);
  return node;
}

class RankWriter {
 public:
  RankWriter(const TaskGraph& graph, int rank) : graph_(graph), rank_(rank), last_(graph.size(), -1) {}

  RankTrace write() {
    std::vector<std::vector<TaskId>> before(graph_.size());
    for (const TaskGraph::Edge& edge : graph_.edges()) before[index(edge.after)].push_back(edge.before);
    for (std::uint32_t i = 0; i < graph_.size(); ++i) add(TaskId{i}, before[i]);
    return std::move(trace_);
  }

 private:
  void add(TaskId id, const std::vector<TaskId>& before) {
    std::vector<std::uint32_t> parents;
    for (const TaskId task : before) {
      // What another rank does is waited for by way of its messages and collectives.
      if (last_[index(task)] >= 0) parents.push_back(static_cast<std::uint32_t>(last_[index(task)]));
    }
    switch (graph_.kind(id)) {
      case TaskKind::compute: {
        const workload::ComputeTask task = graph_.compute(id);
        if (task.rank == workload::kEveryone || index(task.rank) == rank_)
          put(id, compute_node(task.duration), parents);
        return;
      }
      case TaskKind::pause: return put(id, compute_node(graph_.pause(id).duration), parents);
      case TaskKind::message: return add_message(id, parents);
      case TaskKind::collective: return add_collective(id, parents);
    }
  }

  void add_message(TaskId id, const std::vector<std::uint32_t>& parents) {
    const workload::MessageTask task = graph_.message(id);
    const bool sends = index(task.from) == rank_;
    if (!sends && index(task.to) != rank_) return;
    Node node{.comm_size = static_cast<std::uint64_t>(std::max<std::int64_t>(1, task.size.count())),
              .source = static_cast<std::uint32_t>(index(task.from)),
              .destination = static_cast<std::uint32_t>(index(task.to)),
              .tag = index(id) % 500'000'000,
              .kind = sends ? NodeKind::send : NodeKind::receive};
    for (const Has what : {Has::comm_size, Has::source, Has::destination, Has::tag, Has::cpu_said})
      node.set(what);
    put(id, node, parents);
  }

  void add_collective(TaskId id, std::vector<std::uint32_t> parents) {
    const CollectiveTask& task = graph_.collective(id);
    const bool everyone = of_everyone(graph_, task.group);
    const auto& ranks = graph_.group(task.group).ranks;
    if (!everyone && std::find(ranks.begin(), ranks.end(), Rank{rank_}) == ranks.end()) return;
    if (task.before > Duration{}) {
      put(id, compute_node(task.before), parents);
      parents = {static_cast<std::uint32_t>(last_[index(id)])};
    }
    Node node{.comm_size = static_cast<std::uint64_t>(task.size.count()),
              .kind = NodeKind::collective,
              .comm_type = static_cast<std::uint8_t>(chakra_kind(task.kind))};
    for (const Has what : {Has::comm_size, Has::comm_type, Has::cpu_said}) node.set(what);
    if (!everyone) node.group = group_place(trace_, std::to_string(static_cast<int>(task.group) + 1));
    add_dimensions(task, node);
    put(id, node, parents);
    if (task.after > Duration{}) {
      const std::vector<std::uint32_t> of{static_cast<std::uint32_t>(last_[index(id)])};
      put(id, compute_node(task.after), of);
    }
  }

  void add_dimensions(const CollectiveTask& task, Node& node) const {
    const system::DimensionMask& mask = graph_.group(task.group).dimensions;
    for (std::size_t d = 0; d < mask.size() && d < 32; ++d) {
      if (mask[d]) node.dimensions |= 1U << d;
    }
    if (!mask.empty()) node.set(Has::dimensions);
  }

  void put(TaskId id, Node node, const std::vector<std::uint32_t>& parents) {
    node.id = trace_.nodes.size() + 1;
    last_[index(id)] = static_cast<std::int64_t>(add_node(trace_, node, graph_.name(id), parents));
  }

  const TaskGraph& graph_;
  int rank_;
  RankTrace trace_;
  std::vector<std::int64_t> last_;  // of every task its last node here; -1: none
};

}  // namespace

RankTrace to_trace(const TaskGraph& graph, int rank) {
  check(rank >= 0 && rank < graph.ranks(), "the rank is one of the graph");
  return RankWriter(graph, rank).write();
}

std::string groups_json(const TaskGraph& graph) {
  std::string text;
  for (std::size_t g = 0; g < graph.groups().size(); ++g) {
    if (of_everyone(graph, static_cast<workload::RankGroup>(g))) continue;
    std::vector<int> ranks;
    for (const Rank rank : graph.groups()[g].ranks) ranks.push_back(index(rank));
    text += fmt::format("{}\"{}\": [{}]", text.empty() ? "{" : ",\n ", g + 1, fmt::join(ranks, ", "));
  }
  return text.empty() ? "" : text + "}\n";
}

}  // namespace overture::chakra
