#include "overture/workload/task_graph.h"

#include <algorithm>
#include <utility>

#include "overture/base/check.h"

namespace overture::workload {

LabelId TaskGraph::add_label(Label label) {
  labels_.push_back(std::move(label));
  return static_cast<LabelId>(labels_.size() - 1);
}

RankGroup TaskGraph::add_group(std::vector<Rank> ranks) {
  check(!ranks.empty(), "a group has ranks");
  for (const Rank rank : ranks) require_rank(rank);
  groups_.push_back({.ranks = std::move(ranks), .dimensions = {}});
  return static_cast<RankGroup>(groups_.size() - 1);
}

RankGroup TaskGraph::add_group_of_all() {
  groups_.emplace_back();
  return static_cast<RankGroup>(groups_.size() - 1);
}

RankGroup TaskGraph::add_group_along(system::DimensionMask dimensions) {
  check(!dimensions.empty(), "a group along dimensions says along which");
  groups_.push_back({.ranks = {}, .dimensions = std::move(dimensions)});
  return static_cast<RankGroup>(groups_.size() - 1);
}

int TaskGraph::group_size(RankGroup group) const {
  const Group& of = this->group(group);
  check(of.dimensions.empty(), "the size of a group along dimensions is the machine's");
  return of.everyone() ? ranks_ : static_cast<int>(of.ranks.size());
}

void TaskGraph::require_rank(Rank rank) {
  names_ranks_ = true;
  check(overture::index(rank) >= 0 && overture::index(rank) < ranks_, "a task names ranks of its graph");
}

TaskId TaskGraph::add(const Task& task) {
  check(static_cast<std::size_t>(task.label) < labels_.size(), "a task has a label of its graph");
  tasks_.push_back(task);
  return static_cast<TaskId>(tasks_.size() - 1);
}

TaskId TaskGraph::add(const ComputeTask& task, LabelId label) {
  if (task.rank != kEveryone) require_rank(task.rank);
  check(task.duration >= Duration::zero(), "a task does not end before it starts");
  return add({.kind = TaskKind::compute,
              .label = label,
              .a = overture::index(task.rank),
              .b = 0,
              .amount = task.duration.count()});
}

TaskId TaskGraph::add(const PauseTask& task, LabelId label) {
  check(task.duration >= Duration::zero(), "a task does not end before it starts");
  return add({.kind = TaskKind::pause, .label = label, .a = 0, .b = 0, .amount = task.duration.count()});
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

int iteration_of(const TaskGraph& graph, TaskId id) {
  const auto& firsts = graph.iterations();
  return std::max(0, static_cast<int>(std::ranges::upper_bound(firsts, id) - firsts.begin()) - 1);
}

std::vector<Rank> ranks_of(const TaskGraph& graph, RankGroup group) {
  const TaskGraph::Group& of = graph.group(group);
  check(of.dimensions.empty(), "the ranks of a group along dimensions are the machine's");
  if (!of.everyone()) return of.ranks;
  std::vector<Rank> ranks;
  for (int rank = 0; rank < graph.ranks(); ++rank) ranks.push_back(Rank{rank});
  return ranks;
}

std::vector<system::CollectiveKind> collectives_used(const TaskGraph& graph) {
  std::vector<system::CollectiveKind> used;
  for (const CollectiveTask& task : graph.collectives()) {
    if (std::ranges::find(used, task.kind) == used.end()) used.push_back(task.kind);
  }
  return used;
}

}  // namespace overture::workload
