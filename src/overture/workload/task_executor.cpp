#include "overture/workload/task_executor.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::workload {

Duration TaskRun::exposed() const {
  const auto busiest = std::ranges::max_element(busy);
  return busiest == busy.end() ? makespan : makespan - *busiest;
}

TaskExecutor::TaskExecutor(const TaskGraph& graph, network::Network& network, sim::EventQueue& events)
    : graph_(graph),
      network_(network),
      events_(events),
      first_(graph.size() + 1),
      successors_(graph.edges().size()),
      missing_(graph.size()),
      free_at_(static_cast<std::size_t>(graph.ranks())) {
  for (const std::vector<Rank>& group : graph.groups()) groups_.push_back(network.add_group(group));
  for (const TaskGraph::Edge& edge : graph.edges()) {
    ++first_[index(edge.before) + 1];
    ++missing_[index(edge.after)];
  }
  for (std::uint32_t i = 0; i < graph.size(); ++i) first_[i + 1] += first_[i];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const TaskGraph::Edge& edge : graph.edges()) successors_[next[index(edge.before)]++] = edge.after;
  run_.start.resize(graph.size());
  run_.end.resize(graph.size());
  run_.busy.resize(static_cast<std::size_t>(graph.ranks()));
}

void TaskExecutor::start(Action done) {
  done_ = done;
  std::vector<TaskId> first;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    if (missing_[i] == 0) first.push_back(TaskId{i});
  }
  for (const TaskId id : first) ready(id);
}

void TaskExecutor::ready(TaskId id) {
  run_.start[index(id)] = events_.now();
  switch (graph_.kind(id)) {
    case TaskKind::compute: return compute(id);
    case TaskKind::message: {
      const MessageTask task = graph_.message(id);
      return network_.send({.from = task.from, .to = task.to, .size = task.size, .name = {.task = index(id)}},
                           [this, id] { end(id); });
    }
    case TaskKind::collective:
      return events_.after(graph_.collective(id).rounds.delay, [this, id] { next_round(index(id), 0); });
  }
}

void TaskExecutor::compute(TaskId id) {
  const ComputeTask task = graph_.compute(id);
  const auto rank = static_cast<std::size_t>(index(task.rank));
  const Time start = std::max(events_.now(), free_at_[rank]);
  free_at_[rank] = start + task.duration;
  run_.start[index(id)] = start;
  run_.busy[rank] += task.duration;
  events_.at(free_at_[rank], [this, id] { end(id); });
}

void TaskExecutor::next_round(std::uint32_t task, std::int32_t round) {
  const CollectiveTask& collective = graph_.collective(TaskId{task});
  if (round == collective.rounds.count) return end(TaskId{task});
  network_.exchange(collective.rounds.pattern(round), groups_[static_cast<std::size_t>(collective.group)],
                    collective.rounds.each, {.task = task},
                    [this, task, round] { next_round(task, round + 1); });
}

void TaskExecutor::end(TaskId id) {
  ++finished_;
  run_.end[index(id)] = events_.now();
  run_.makespan = std::max(run_.makespan, events_.now().time_since_epoch());
  for (std::uint32_t i = first_[index(id)]; i < first_[index(id) + 1]; ++i) {
    if (--missing_[index(successors_[i])] == 0) ready(successors_[i]);
  }
  if (finished_ == graph_.size() && done_) done_();
}

TaskRun run_tasks(const TaskGraph& graph, network::Network& network, sim::EventQueue& events) {
  TaskExecutor executor(graph, network, events);
  executor.start();
  events.run();
  if (executor.finished() != graph.size()) {
    throw UserError(fmt::format("{} of {} tasks never start: they wait for each other",
                                graph.size() - executor.finished(), graph.size()));
  }
  return executor.result();
}

}  // namespace overture::workload
