#include "overture/report/task_timeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "overture/report/recorder.h"

namespace overture::report {
namespace {

using simulation::Timeline;
using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

constexpr int kShownRanks = 16;
constexpr int kFirstCollective = 2;
constexpr int kFirstSendStream = 101;

std::vector<std::uint32_t> by_start(const TaskGraph& graph, const Timeline& run) {
  std::vector<std::uint32_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return run.start[i]; });
  return order;
}

class Builder {
 public:
  Builder(const TaskGraph& graph, const Timeline& run, const std::vector<TaskId>& waited,
          const std::vector<TraceCounter>& counters)
      : graph_(graph), run_(run), waited_(waited) {
    // Where every task is everyone's, one rank tells all.
    const std::vector<int> shown = sampled_ranks(graph.symbolic() ? 1 : graph.ranks(), kShownRanks);
    for (const int rank : shown) {
      Lanes& made = ranks_.emplace(rank, Lanes{Trace(rank, graph.ranks(), kMostTraceEvents / shown.size())})
                        .first->second;
      made.trace.name_stream(kComputeStream, "compute");
      made.trace.add(TraceStep{0, Time{}, run.finished});
      if (graph.symbolic()) made.trace.set_note("every rank does the same; rank 0 stands for all");
    }
    for (const TraceCounter& counter : counters) ranks_.begin()->second.trace.add(counter);
  }

  std::vector<Trace> build() {
    for (const std::uint32_t i : by_start(graph_, run_)) add(TaskId{i});
    std::vector<Trace> traces;
    for (auto& [rank, lanes] : ranks_) traces.push_back(std::move(lanes.trace));
    return traces;
  }

 private:
  struct Lanes {
    Trace trace;
    StreamLanes collectives{kFirstCollective};
    StreamLanes sends{kFirstSendStream};
  };

  void add(TaskId id) {
    switch (graph_.kind(id)) {
      case TaskKind::compute: return add_compute(id, graph_.compute(id).rank);
      case TaskKind::message: {
        const workload::MessageTask task = graph_.message(id);
        TraceSlice sent = slice(id, "ncclKernel_SendRecv " + graph_.name(id));
        sent.args.emplace_back("to", fmt::format("{}", index(task.to)));
        sent.collective = TraceCollective{.collective = "send", .in = task.size, .group_size = 2};
        return add(id, task.from, std::move(sent));
      }
      case TaskKind::collective: {
        const workload::CollectiveTask& task = graph_.collective(id);
        TraceSlice played = slice(id, kernel_name(task.kind) + " " + graph_.name(id));
        played.collective = TraceCollective{.collective = std::string(system::name(task.kind)),
                                            .in = task.size,
                                            .out = task.size,
                                            .group_size = graph_.group_size(task.group)};
        for (const Rank rank : ranks_of(graph_, task.group)) add(id, rank, played);
        return;
      }
      case TaskKind::pause: return;
    }
  }

  void add_compute(TaskId id, Rank rank) {
    if (rank != workload::kEveryone) return add(id, rank, slice(id, graph_.name(id)));
    for (const auto& [shown, lanes] : ranks_) add(id, Rank{shown}, slice(id, graph_.name(id)));
  }

  TraceSlice slice(TaskId id, std::string name) const {
    const std::uint32_t i = index(id);
    TraceSlice made{.name = std::move(name),
                    .start = run_.start[i],
                    .length = run_.end[i] - run_.start[i],
                    .args = {{"task", fmt::format("{}", i)}}};
    if (waited_[i] != id) made.args.emplace_back("waited for", graph_.name(waited_[i]));
    return made;
  }

  void add(TaskId id, Rank rank, TraceSlice slice) {
    const auto found = ranks_.find(index(rank));
    if (found == ranks_.end()) return;
    Lanes& lanes = found->second;
    slice.stream = stream(id, lanes, slice);
    arrows(id, slice);
    lanes.trace.add(std::move(slice));
  }

  int stream(TaskId id, Lanes& lanes, const TraceSlice& slice) {
    if (graph_.kind(id) == TaskKind::compute) return kComputeStream;
    const bool sends = graph_.kind(id) == TaskKind::message;
    const int stream =
        (sends ? lanes.sends : lanes.collectives).take(slice.start, slice.start + slice.length);
    lanes.trace.name_stream(stream, sends ? "sends" : "all-reduces");
    return stream;
  }

  // The arrow into task i has the number i + 1. A slice has one end and one start at most: the first slice of
  // a collective, and the first that waited for a task.
  void arrows(TaskId id, TraceSlice& slice) {
    if (waited_[index(id)] != id && arrived_.insert(index(id)).second) slice.flow_in = index(id) + 1;
    const auto next = first_waiting().find(index(id));
    if (next == first_waiting().end() || !left_.insert(index(id)).second) return;
    slice.flow_out = next->second + 1;
  }

  const std::map<std::uint32_t, std::uint32_t>& first_waiting() {
    if (!first_waiting_.empty()) return first_waiting_;
    for (const std::uint32_t i : by_start(graph_, run_)) {
      if (index(waited_[i]) != i) first_waiting_.try_emplace(index(waited_[i]), i);
    }
    return first_waiting_;
  }

  const TaskGraph& graph_;
  const Timeline& run_;
  const std::vector<TaskId>& waited_;
  std::map<int, Lanes> ranks_;
  std::map<std::uint32_t, std::uint32_t> first_waiting_;
  std::set<std::uint32_t> arrived_;
  std::set<std::uint32_t> left_;
};

bool involves(const TaskGraph& graph, TaskId id, Rank rank) {
  switch (graph.kind(id)) {
    case TaskKind::compute:
      return graph.compute(id).rank == rank || graph.compute(id).rank == workload::kEveryone;
    case TaskKind::pause: return false;
    case TaskKind::message: return graph.message(id).from == rank || graph.message(id).to == rank;
    case TaskKind::collective: {
      const TaskGraph::Group& group = graph.group(graph.collective(id).group);
      return group.everyone() || std::ranges::find(group.ranks, rank) != group.ranks.end();
    }
  }
  return false;
}

}  // namespace

std::vector<TaskId> waited_for(const TaskGraph& graph, const Timeline& run) {
  std::vector<TaskId> last(graph.size());
  for (std::uint32_t i = 0; i < graph.size(); ++i) last[i] = TaskId{i};
  for (const TaskGraph::Edge& edge : graph.edges()) {
    TaskId& found = last[index(edge.after)];
    if (found == edge.after || run.end[index(edge.before)] > run.end[index(found)]) found = edge.before;
  }
  return last;
}

TraceWritten write_task_trace(const TaskGraph& graph, const Timeline& run, const std::vector<TaskId>& waited,
                              const std::vector<TraceCounter>& counters,
                              const std::filesystem::path& folder) {
  return write_trace_files(Builder(graph, run, waited, counters).build(), folder);
}

std::vector<LabelTime> label_times(const TaskGraph& graph, const Timeline& run,
                                   const std::vector<TaskId>& waited) {
  std::vector<LabelTime> times;
  for (const workload::Label& label : graph.labels()) times.push_back({.name = label.name});
  const Rank rank{static_cast<std::int32_t>(std::ranges::max_element(run.busy) - run.busy.begin())};
  const auto time_of = [&](TaskId id) -> LabelTime& {
    return times[static_cast<std::size_t>(graph.label(id))];
  };
  Time free_at{};
  std::vector<Time> reached(times.size());  // of each label: until when its communication was counted
  for (const std::uint32_t i : by_start(graph, run)) {
    const TaskId id{i};
    if (!involves(graph, id, rank)) continue;
    if (graph.kind(id) != TaskKind::compute) {
      Time& until = reached[static_cast<std::size_t>(graph.label(id))];
      if (run.end[i] > until) time_of(id).communication += run.end[i] - std::max(run.start[i], until);
      until = std::max(until, run.end[i]);
      continue;
    }
    time_of(id).compute += run.end[i] - run.start[i];
    time_of(waited[i]).exposed += run.start[i] - free_at;
    free_at = run.end[i];
  }
  const auto last = std::ranges::max_element(run.end);
  if (last != run.end.end())
    time_of(TaskId{static_cast<std::uint32_t>(last - run.end.begin())}).exposed += *last - free_at;
  std::erase_if(times, [](const LabelTime& time) {
    return time.compute + time.communication + time.exposed == Duration{};
  });
  return times;
}

}  // namespace overture::report
