// What a training step consists of, for any model and any machine: compute tasks, messages, collectives, and
// what waits for what. Generators and readers fill it, the executor (task_executor.h) plays it on a network.
// Plain arrays of indices: 1,024 ranks with two million messages fit in about 120 MB.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/ids.h"
#include "overture/base/units.h"
#include "overture/workload/task_rounds.h"

namespace overture::workload {

enum class TaskId : std::uint32_t {};
enum class LabelId : std::uint32_t {};
enum class RankGroup : std::int32_t {};

constexpr std::uint32_t index(TaskId id) { return static_cast<std::uint32_t>(id); }

struct ComputeTask {
  Rank rank;
  Duration duration;
};
struct MessageTask {
  Rank from;
  Rank to;
  Bytes size;
};
struct CollectiveTask {
  RankGroup group;
  Rounds rounds;
  Bytes size;  // of the data; what is sent is in the rounds
};

enum class TaskKind : std::uint8_t { compute, message, collective };

class TaskGraph {
 public:
  explicit TaskGraph(int ranks) : ranks_(ranks) {}

  // For reports: what a task is, such as "top 3 backward". Many tasks share one.
  LabelId add_label(std::string name);
  // Ranks in the order in which a ring goes.
  RankGroup add_group(std::vector<Rank> ranks);
  RankGroup add_group_of_all();

  TaskId add(const ComputeTask& task, LabelId label);
  TaskId add(const MessageTask& task, LabelId label);
  TaskId add(const CollectiveTask& task, LabelId label);
  // `after` starts when `before`, and all else that it waits for, has ended.
  void depend(TaskId before, TaskId after) { edges_.push_back({before, after}); }
  void reserve(std::size_t tasks, std::size_t dependencies);

  struct Edge {
    TaskId before;
    TaskId after;
  };

  int ranks() const { return ranks_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(tasks_.size()); }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<std::vector<Rank>>& groups() const { return groups_; }

  TaskKind kind(TaskId id) const { return tasks_[index(id)].kind; }
  LabelId label(TaskId id) const { return tasks_[index(id)].label; }
  const std::string& name(TaskId id) const { return labels_[static_cast<std::size_t>(label(id))]; }
  const std::vector<std::string>& labels() const { return labels_; }
  // Of a task of that kind.
  ComputeTask compute(TaskId id) const;
  MessageTask message(TaskId id) const;
  const CollectiveTask& collective(TaskId id) const;

 private:
  struct Task {
    TaskKind kind;
    LabelId label;
    std::int32_t a;       // rank, or where the message comes from, or place in collectives_
    std::int32_t b;       // where the message goes
    std::int64_t amount;  // picoseconds or bytes
  };

  TaskId add(const Task& task);
  void require_rank(Rank rank) const;

  int ranks_;
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
  std::vector<CollectiveTask> collectives_;
  std::vector<std::vector<Rank>> groups_;
  std::vector<std::string> labels_;
};

// Bytes that a graph puts on the network.
struct GraphTraffic {
  Bytes messages;
  Bytes collectives;

  double collective_fraction() const {
    return static_cast<double>(collectives.count()) / static_cast<double>((messages + collectives).count());
  }
};
GraphTraffic traffic(const TaskGraph& graph);

}  // namespace overture::workload
