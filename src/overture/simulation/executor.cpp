#include "overture/simulation/executor.h"

#include <algorithm>

#include <fmt/format.h>

namespace overture::simulation {

using workload::CollectiveTask;
using workload::ComputeTask;
using workload::MessageTask;
using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

Duration Timeline::compute() const {
  const auto busiest = std::ranges::max_element(busy);
  return busiest == busy.end() ? Duration{} : *busiest;
}

Executor::Executor(const TaskGraph& graph, system::System& system, network::Network& network,
                   const Stragglers& stragglers, CorePool* cores)
    : graph_(graph), system_(system), network_(network), stragglers_(stragglers), cores_(cores) {
  const std::size_t ranks = graph.symbolic() ? 1 : static_cast<std::size_t>(graph.ranks());
  free_at_.resize(ranks);
  timeline_.busy.resize(ranks);
  timeline_.start.resize(graph.size());
  timeline_.end.resize(graph.size(), Time::max());
  timeline_.collectives.resize(graph.collectives().size());
  link_tasks();
  add_groups();
  system_.on_finished(
      [this](system::CollectiveId id, const system::CollectiveStats& stats) { finished(id, stats); });
}

void Executor::link_tasks() {
  first_.resize(graph_.size() + 1);
  successors_.resize(graph_.edges().size());
  missing_.resize(graph_.size());
  for (const TaskGraph::Edge& edge : graph_.edges()) {
    ++first_[index(edge.before) + 1];
    ++missing_[index(edge.after)];
  }
  for (std::uint32_t i = 0; i < graph_.size(); ++i) first_[i + 1] += first_[i];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const TaskGraph::Edge& edge : graph_.edges()) successors_[next[index(edge.before)]++] = edge.after;
}

// All ranks of the machine go along its dimensions; others are a group of their own.
void Executor::add_groups() {
  const system::DimensionMask all(static_cast<std::size_t>(system_.logical().count()), true);
  for (const TaskGraph::Group& group : graph_.groups()) {
    Span& span = spans_.emplace_back();
    if (!group.dimensions.empty()) {
      span.dimensions = group.dimensions;
    } else if (group.everyone() && graph_.ranks() == system_.ranks()) {
      span.dimensions = all;
    } else {
      span.group = system_.add_group(ranks_of(graph_, static_cast<workload::RankGroup>(spans_.size() - 1)));
    }
  }
}

void Executor::start() {
  std::vector<TaskId> first;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    if (missing_[i] == 0) first.push_back(TaskId{i});
  }
  for (const TaskId id : first) ready(id);
}

void Executor::ready(TaskId id) {
  timeline_.start[index(id)] = now();
  switch (graph_.kind(id)) {
    case TaskKind::compute: return compute(id);
    case TaskKind::pause: return system_.clock().after(graph_.pause(id).duration, [this, id] { end(id); });
    case TaskKind::message: {
      const MessageTask task = graph_.message(id);
      return network_.send({task.from, task.to, task.size, {.task = index(id)}}, [this, id] { end(id); });
    }
    case TaskKind::collective: {
      const Duration before = graph_.collective(id).before;
      if (before == Duration{}) return issue(id);
      return system_.clock().after(before, [this, id] { issue(id); });
    }
  }
}

void Executor::compute(TaskId id) {
  const ComputeTask task = graph_.compute(id);
  if (cores_ != nullptr && task.rank != workload::kEveryone) return compute_on_shared_cores(id);
  // Everyone starts together. In a symbolic graph one entry stands for all.
  const bool everyone = task.rank == workload::kEveryone;
  const auto first = everyone ? 0 : static_cast<std::size_t>(index(task.rank));
  const std::size_t last = everyone ? free_at_.size() : first + 1;
  Time start = now();
  for (std::size_t rank = first; rank < last; ++rank) start = std::max(start, free_at_[rank]);
  Time end = start;
  for (std::size_t rank = first; rank < last; ++rank) {
    free_at_[rank] = compute_until(task, id, start, rank);
    end = std::max(end, free_at_[rank]);
    if (end != Time::max()) timeline_.busy[rank] += free_at_[rank] - start;
  }
  timeline_.start[index(id)] = start;
  if (end != Time::max()) return system_.clock().after(end - now(), [this, id] { this->end(id); });
  if (!died_.empty()) return;
  died_ = fmt::format("\"{}\" never ends: {} is dead", graph_.name(id),
                      everyone ? "a node" : fmt::format("node {}", index(task.rank)));
}

// Never on a rank that is dead, and then neither what comes after.
Time Executor::compute_until(const ComputeTask& task, TaskId id, Time start, std::size_t rank) const {
  if (stragglers_.empty()) return start + task.duration;
  if (start == Time::max()) return start;
  if (graph_.symbolic()) return stragglers_.last_end(start, task.duration, index(id));
  return stragglers_.end(static_cast<int>(rank), start, task.duration, index(id));
}

void Executor::compute_on_shared_cores(TaskId id) {
  const ComputeTask task = graph_.compute(id);
  const auto rank = static_cast<std::size_t>(index(task.rank));
  timeline_.busy[rank] += task.duration;
  cores_->add(
      rank, task.duration, [this, id] { timeline_.start[index(id)] = now(); }, [this, id] { end(id); });
}

void Executor::issue(TaskId id) {
  const CollectiveTask& task = graph_.collective(id);
  const Span& span = spans_[static_cast<std::size_t>(task.group)];
  const auto collective = system_.issue({.kind = task.kind,
                                         .size = task.size,
                                         .dimensions = span.dimensions,
                                         .group = span.group,
                                         .policy = task.policy,
                                         .sizes = task.sizes,
                                         .name = {.task = index(id)}});
  if (!collective) return end(id);  // nobody has a peer
  const auto number = static_cast<std::size_t>(*collective);
  if (number >= task_of_collective_.size()) task_of_collective_.resize(number + 1);
  task_of_collective_[number] = id;
}

// All chunks are through; it counts as ended after what follows.
void Executor::finished(system::CollectiveId collective, const system::CollectiveStats& stats) {
  const TaskId id = task_of_collective_[static_cast<std::size_t>(collective)];
  timeline_.collectives[graph_.collective_number(id)] = stats;
  system_.clock().after(graph_.collective(id).after, [this, id] { end(id); });
}

void Executor::end(TaskId id) {
  system_.all_ranks_act();
  ++finished_;
  timeline_.end[index(id)] = now();
  timeline_.finished = std::max(timeline_.finished, now().time_since_epoch());
  for (std::uint32_t i = first_[index(id)]; i < first_[index(id) + 1]; ++i) {
    if (--missing_[index(successors_[i])] == 0) ready(successors_[i]);
  }
}

Timeline Executor::take() {
  for (std::size_t rank = 0; rank < free_at_.size(); ++rank) {
    if (free_at_[rank] == Time::max()) continue;  // dead: what it never ended was not counted
    const Duration left = std::max(free_at_[rank] - now(), Duration{});
    timeline_.busy[rank] = std::max(timeline_.busy[rank] - left, Duration{});
  }
  return std::move(timeline_);
}

std::string Executor::waiting_for() const {
  std::uint32_t never = 0;
  std::string running;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    if (timeline_.end[i] != Time::max()) continue;
    if (missing_[i] > 0) {
      ++never;
    } else if (running.empty()) {
      running = fmt::format("\"{}\" does not end", graph_.name(TaskId{i}));
    }
  }
  if (never == 0) return running;
  if (running.empty())
    return fmt::format("{} of {} tasks never start: they wait for each other", never, graph_.size());
  return fmt::format("{}, and {} tasks wait for it", running, never);
}

}  // namespace overture::simulation
