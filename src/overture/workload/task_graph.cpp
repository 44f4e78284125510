#include "overture/workload/task_graph.h"

#include <utility>

#include "overture/base/check.h"

namespace overture::workload {

LabelId TaskGraph::add_label(std::string name) {
  labels_.push_back(std::move(name));
  return static_cast<LabelId>(labels_.size() - 1);
}

RankGroup TaskGraph::add_group(std::vector<Rank> ranks) {
  for (const Rank rank : ranks) require_rank(rank);
  groups_.push_back(std::move(ranks));
  return static_cast<RankGroup>(groups_.size() - 1);
}

RankGroup TaskGraph::add_group_of_all() {
  std::vector<Rank> all;
  for (int rank = 0; rank < ranks_; ++rank) all.push_back(Rank{rank});
  return add_group(std::move(all));
}

void TaskGraph::require_rank(Rank rank) const {
  check(overture::index(rank) >= 0 && overture::index(rank) < ranks_, "a task names ranks of its graph");
}

TaskId TaskGraph::add(const Task& task) {
  check(static_cast<std::size_t>(task.label) < labels_.size(), "a task has a label of its graph");
  tasks_.push_back(task);
  return static_cast<TaskId>(tasks_.size() - 1);
}

TaskId TaskGraph::add(const ComputeTask& task, LabelId label) {
  require_rank(task.rank);
  check(task.duration >= Duration::zero(), "a task does not end before it starts");
  return add({.kind = TaskKind::compute,
              .label = label,
              .a = overture::index(task.rank),
              .b = 0,
              .amount = task.duration.count()});
}

TaskId TaskGraph::add(const MessageTask& task, LabelId label) {
  require_rank(task.from);
  require_rank(task.to);
  return add({.kind = TaskKind::message,
              .label = label,
              .a = overture::index(task.from),
              .b = overture::index(task.to),
              .amount = task.size.count()});
}

TaskId TaskGraph::add(const CollectiveTask& task, LabelId label) {
  check(static_cast<std::size_t>(task.group) < groups_.size(), "a collective has a group of its graph");
  collectives_.push_back(task);
  return add({.kind = TaskKind::collective,
              .label = label,
              .a = static_cast<std::int32_t>(collectives_.size() - 1),
              .b = 0,
              .amount = task.size.count()});
}

void TaskGraph::reserve(std::size_t tasks, std::size_t dependencies) {
  tasks_.reserve(tasks);
  edges_.reserve(dependencies);
}

ComputeTask TaskGraph::compute(TaskId id) const {
  const Task& task = tasks_[index(id)];
  return {.rank = Rank{task.a}, .duration = Duration{task.amount}};
}

MessageTask TaskGraph::message(TaskId id) const {
  const Task& task = tasks_[index(id)];
  return {.from = Rank{task.a}, .to = Rank{task.b}, .size = Bytes{task.amount}};
}

const CollectiveTask& TaskGraph::collective(TaskId id) const {
  return collectives_[static_cast<std::size_t>(tasks_[index(id)].a)];
}

GraphTraffic traffic(const TaskGraph& graph) {
  GraphTraffic sum;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const TaskId id{i};
    if (graph.kind(id) == TaskKind::message) {
      const MessageTask message = graph.message(id);
      if (message.from != message.to) sum.messages += message.size;
    } else if (graph.kind(id) == TaskKind::collective) {
      const CollectiveTask& collective = graph.collective(id);
      const std::size_t ranks = graph.groups()[static_cast<std::size_t>(collective.group)].size();
      sum.collectives += traffic(collective.rounds, static_cast<int>(ranks));
    }
  }
  return sum;
}

}  // namespace overture::workload
