#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/formats/chakra/graph.h"
#include "overture/formats/chakra/reader.h"

namespace overture::chakra {
namespace {

using workload::LabelId;
using workload::RankGroup;
using workload::TaskGraph;
using workload::TaskId;

constexpr std::size_t kMostLayers = 1000;

[[noreturn]] void fail_at(const RankTrace& trace, const Node& node, std::string_view field,
                          std::string_view what, std::string_view hint = {}) {
  throw UserError({.file = trace.file, .key = fmt::format("node {}: {}", node.id, field)}, what, hint);
}

Duration duration_of(const Node& node) {
  if (node.is(Has::nanoseconds)) return Nanoseconds{static_cast<std::int64_t>(node.duration_ns)};
  return Nanoseconds{static_cast<std::int64_t>(node.duration_micros) * 1000};
}

system::CollectiveKind kind_of(const RankTrace& trace, const Node& node) {
  if (!node.is(Has::comm_type)) fail_at(trace, node, "comm_type", "is missing");
  switch (node.collective()) {
    case Collective::all_reduce: return system::CollectiveKind::all_reduce;
    case Collective::all_gather: return system::CollectiveKind::all_gather;
    case Collective::all_to_all: return system::CollectiveKind::all_to_all;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return system::CollectiveKind::reduce_scatter;
    case Collective::broadcast: return system::CollectiveKind::broadcast;
    case Collective::barrier: return system::CollectiveKind::barrier;
    default: break;
  }
  fail_at(trace, node, "comm_type", fmt::format("{} has no algorithm here", name(node.collective())),
          "known: all_reduce, all_gather, all_to_all, reduce_scatter, broadcast, barrier");
}

bool occupies_rank(const Node& node) {
  return node.kind == NodeKind::compute || node.kind == NodeKind::memory_load ||
         node.kind == NodeKind::memory_store;
}

// Labels of a graph: one per name, and per name one layer.
class Labels {
 public:
  explicit Labels(TracedGraph& traced) : traced_(traced) {}

  LabelId of(std::string_view title) {
    const std::string name(title.empty() ? "node" : title);
    const auto [place, added] = labels_.try_emplace(name);
    if (!added) return place->second;
    std::size_t layer = traced_.layers.size();
    if (layer < kMostLayers) {
      traced_.layers.push_back(layer + 1 == kMostLayers ? "all others" : name);
    } else {
      layer = kMostLayers - 1;
    }
    place->second = traced_.graph.add_label(
        {.name = name, .layer = traced_.layers[layer], .layer_number = static_cast<int>(layer)});
    return place->second;
  }

 private:
  TracedGraph& traced_;
  std::unordered_map<std::string, LabelId> labels_;
};

// Places of nodes so that parents come first.
std::vector<std::uint32_t> in_order(const RankTrace& trace) {
  auto [missing, children, order] = dependents_of(trace);
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (const std::uint32_t child : children[order[done]]) {
      if (--missing[child] == 0) order.push_back(child);
    }
  }
  return order;
}

class GraphMaker {
 public:
  GraphMaker(std::vector<RankTrace> traces, int ranks, const GraphOptions& options, bool symbolic)
      : traces_(std::move(traces)), options_(options), symbolic_(symbolic), labels_(traced_) {
    traced_.graph = TaskGraph(ranks);
  }

  TracedGraph make() {
    tasks_.resize(traces_.size());
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) add_tasks(static_cast<int>(rank));
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) match_receives(static_cast<int>(rank));
    require_received();
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) add_dependencies(traces_[rank], tasks_[rank]);
    require_complete_collectives();
    return std::move(traced_);
  }

 private:
  struct Meeting {  // of the ranks of a group, for a collective
    TaskId task{};
    int first_rank = 0;
    const Node* node = nullptr;
    int came = 0;
    int size = 0;
  };
  struct Message {
    TaskId task{};
    int from = 0;
    std::uint64_t node = 0;
  };

  void add_tasks(int rank) {
    const RankTrace& trace = traces_[static_cast<std::size_t>(rank)];
    std::vector<std::optional<TaskId>>& tasks = tasks_[static_cast<std::size_t>(rank)];
    tasks.resize(trace.nodes.size());
    std::vector<std::uint32_t> by_id(trace.nodes.size());
    for (std::uint32_t n = 0; n < by_id.size(); ++n) by_id[n] = n;
    std::sort(by_id.begin(), by_id.end(),
              [&](std::uint32_t a, std::uint32_t b) { return trace.nodes[a].id < trace.nodes[b].id; });
    for (const std::uint32_t n : by_id) {
      const Node& node = trace.nodes[n];
      const LabelId label = labels_.of(trace.name(node));
      if (occupies_rank(node)) {
        tasks[n] = traced_.graph.add(
            workload::ComputeTask{symbolic_ ? workload::kEveryone : Rank{rank}, duration_of(node)}, label);
      } else if (node.kind == NodeKind::collective) {
        tasks[n] = meet(trace, node, rank, label);
      } else if (node.kind == NodeKind::send) {
        tasks[n] = add_message(trace, node, rank, label);
      }
    }
  }

  TaskId add_message(const RankTrace& trace, const Node& node, int rank, LabelId label) {
    if (!node.is(Has::comm_size)) fail_at(trace, node, "comm_size", "is missing");
    if (!node.is(Has::destination)) fail_at(trace, node, "comm_dst", "is missing");
    if (node.destination >= traces_.size() || node.destination == static_cast<std::uint32_t>(rank))
      fail_at(trace, node, "comm_dst",
              fmt::format("rank {} is no other rank of the {} traces", node.destination, traces_.size()));
    const TaskId task =
        traced_.graph.add(workload::MessageTask{Rank{rank}, Rank{static_cast<int>(node.destination)},
                                                Bytes{static_cast<std::int64_t>(node.comm_size)}},
                          label);
    messages_[key(rank, static_cast<int>(node.destination), node)].push_back({task, rank, node.id});
    return task;
  }

  static std::string key(int from, int to, const Node& node) {
    return fmt::format("{} {} {} {}", from, to, node.tag, node.comm_size);
  }

  void match_receives(int rank) {
    const RankTrace& trace = traces_[static_cast<std::size_t>(rank)];
    for (std::uint32_t n = 0; n < trace.nodes.size(); ++n) {
      const Node& node = trace.nodes[n];
      if (node.kind != NodeKind::receive) continue;
      if (!node.is(Has::source)) fail_at(trace, node, "comm_src", "is missing");
      std::deque<Message>& sent = messages_[key(static_cast<int>(node.source), rank, node)];
      if (sent.empty()) {
        fail_at(trace, node, "comm_src",
                fmt::format("rank {} never sends rank {} these {} bytes with tag {}", node.source, rank,
                            node.comm_size, node.tag));
      }
      tasks_[static_cast<std::size_t>(rank)][n] = sent.front().task;
      sent.pop_front();
    }
  }

  void require_received() const {
    for (const auto& [ends, left] : messages_) {
      if (left.empty()) continue;
      const workload::MessageTask message = traced_.graph.message(left.front().task);
      throw UserError({.file = traces_[static_cast<std::size_t>(left.front().from)].file,
                       .key = fmt::format("node {}", left.front().node)},
                      fmt::format("rank {} sends {} bytes to rank {}, which never receives them",
                                  left.front().from, message.size.count(), index(message.to)));
    }
  }

  RankGroup group_of(const RankTrace& trace, const Node& node, int rank, int& size) {
    const std::string name(trace.group(node));
    size = static_cast<int>(traces_.size());
    if (name.empty()) {
      if (!everyone_) everyone_ = traced_.graph.add_group_of_all();
      return *everyone_;
    }
    const auto found = options_.groups.find(std::atoi(name.c_str()));
    if (found == options_.groups.end())
      fail_at(trace, node, "pg_name", fmt::format("there is no group \"{}\"", name), "name the group file");
    const std::vector<int>& members = found->second;
    if (std::find(members.begin(), members.end(), rank) == members.end())
      fail_at(trace, node, "pg_name", fmt::format("rank {} is not in group {}", rank, name));
    size = static_cast<int>(members.size());
    const auto [place, added] = groups_.try_emplace(name);
    if (added) {
      std::vector<Rank> ranks;
      for (const int member : members) ranks.push_back(Rank{member});
      place->second = traced_.graph.add_group(std::move(ranks));
    }
    return place->second;
  }

  // The k-th collective of a group is one task, whoever comes first.
  TaskId meet(const RankTrace& trace, const Node& node, int rank, LabelId label) {
    const system::CollectiveKind kind = kind_of(trace, node);
    if (kind != system::CollectiveKind::barrier && !node.is(Has::comm_size))
      fail_at(trace, node, "comm_size", "is missing");
    int size = 0;
    const RankGroup group = group_of(trace, node, rank, size);
    const std::string& name = trace.group_names[node.group];
    const int number = next_of_group_[fmt::format("{} {}", rank, name)]++;
    Meeting& meeting = meetings_[fmt::format("{} {}", name, number)];
    if (meeting.came++ == 0) {
      meeting.task = traced_.graph.add(
          workload::CollectiveTask{
              .group = group, .kind = kind, .size = Bytes{static_cast<std::int64_t>(node.comm_size)}},
          label);
      meeting.first_rank = rank;
      meeting.node = &node;
      meeting.size = symbolic_ ? 1 : size;
    } else if (meeting.node->comm_type != node.comm_type || meeting.node->comm_size != node.comm_size) {
      fail_at(
          trace, node, "comm_type",
          fmt::format("rank {} starts {} of {} bytes where rank {} starts {} of {} bytes (node {})", rank,
                      chakra::name(node.collective()), node.comm_size, meeting.first_rank,
                      chakra::name(meeting.node->collective()), meeting.node->comm_size, meeting.node->id),
          "all ranks of a group start its collectives in the same order");
    }
    return meeting.task;
  }

  void require_complete_collectives() const {
    for (const auto& [name, meeting] : meetings_) {
      if (meeting.came >= meeting.size) continue;
      throw UserError(
          {.file = traces_[static_cast<std::size_t>(meeting.first_rank)].file,
           .key = fmt::format("node {}", meeting.node->id)},
          fmt::format("only {} of {} ranks take part in this collective", meeting.came, meeting.size));
    }
  }

  // A node without a task, and a receive, hand on what they wait for.
  void add_dependencies(const RankTrace& trace, const std::vector<std::optional<TaskId>>& tasks) {
    std::vector<std::vector<TaskId>> ends(trace.nodes.size());
    for (const std::uint32_t n : in_order(trace)) {
      const Node& node = trace.nodes[n];
      std::vector<TaskId> before;
      for (const std::uint32_t parent : trace.parents_of(node))
        before.insert(before.end(), ends[parent].begin(), ends[parent].end());
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
      if (!tasks[n]) {
        ends[n] = std::move(before);
      } else if (node.kind == NodeKind::receive) {
        before.push_back(*tasks[n]);
        ends[n] = std::move(before);
      } else {
        for (const TaskId task : before) traced_.graph.depend(task, *tasks[n]);
        ends[n] = {*tasks[n]};
      }
    }
  }

  std::vector<RankTrace> traces_;
  const GraphOptions& options_;
  bool symbolic_;
  TracedGraph traced_;
  Labels labels_;
  std::vector<std::vector<std::optional<TaskId>>> tasks_;  // by rank and node
  std::map<std::string, std::deque<Message>> messages_;
  std::map<std::string, Meeting> meetings_;
  std::unordered_map<std::string, int> next_of_group_;
  std::unordered_map<std::string, RankGroup> groups_;
  std::optional<RankGroup> everyone_;
};

// Can one trace stand for any number of ranks? If not, why.
std::string why_not_symbolic(const RankTrace& trace) {
  for (const Node& node : trace.nodes) {
    if (node.kind == NodeKind::send || node.kind == NodeKind::receive)
      return fmt::format("node {} is a {}, which names a rank", node.id, name(node.kind));
    const std::string_view group = trace.group(node);
    if (node.kind == NodeKind::collective && !group.empty())
      return fmt::format("node {} is a collective of group {}", node.id, group);
  }
  return "";
}

}  // namespace

TracedGraph read_graph(const std::string& prefix, const GraphOptions& options) {
  const int files = count_ranks(prefix);
  const std::string first = read_file(rank_file(prefix, 0));
  int different = 0;
  for (int rank = 1; different == 0 && rank < files; ++rank) {
    if (read_file(rank_file(prefix, rank)) != first) different = rank;
  }
  std::vector<RankTrace> traces;
  traces.push_back(read_trace(rank_file(prefix, 0)));
  const std::string named = why_not_symbolic(traces.front());
  const bool symbolic = different == 0 && named.empty();
  const int ranks = options.ranks == 0 ? files : options.ranks;
  if (!symbolic && ranks != files) {
    throw UserError(
        {.file = rank_file(prefix, 0)},
        fmt::format("traces of {} ranks cannot run on {}: {}", files, ranks,
                    different > 0 ? fmt::format("ranks 0 and {} do not do the same", different) : named),
        "choose a network of as many ranks");
  }
  for (int rank = 1; !symbolic && rank < files; ++rank) traces.push_back(read_trace(rank_file(prefix, rank)));
  TracedGraph traced = GraphMaker(std::move(traces), ranks, options, symbolic).make();
  if (ranks != files)
    traced.note =
        fmt::format("the {} traces are all equal, so they stand for {} ranks; sizes per rank are unchanged",
                    files, ranks);
  return traced;
}

}  // namespace overture::chakra
