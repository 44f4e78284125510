// What a training job consists of, for any model and any machine: compute tasks, pauses, messages,
// collectives, and what waits for what. Training loops, generators and readers fill it; the executor
// (simulation/executor.h) plays it. A collective says what it is, never how it is carried out.
// Plain arrays of indices: 1,024 ranks with two million messages fit in about 120 MB. Where every rank does
// the same, the graph is symbolic: its tasks are described once, for everyone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/ids.h"
#include "overture/base/units.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"
#include "overture/system/request.h"

namespace overture::workload {

enum class TaskId : std::uint32_t {};
enum class LabelId : std::uint32_t {};
enum class RankGroup : std::int32_t {};

constexpr std::uint32_t index(TaskId id) { return static_cast<std::uint32_t>(id); }

// The three passes of a training step through a layer.
enum class PassKind : std::uint8_t { forward, input_gradient, weight_gradient };
constexpr std::size_t kPassKinds = 3;

constexpr std::string_view name(PassKind kind) {
  switch (kind) {
    case PassKind::forward: return "forward";
    case PassKind::input_gradient: return "input gradient";
    case PassKind::weight_gradient: return "weight gradient";
  }
  return "?";
}

// In place of a rank: all of them, each for itself and all in step.
constexpr Rank kEveryone{-1};

struct ComputeTask {
  Rank rank;
  Duration duration;
};
// Time passes for everyone, and nobody computes: what a step of a training loop costs on top.
struct PauseTask {
  Duration duration;
};
struct MessageTask {
  Rank from;
  Rank to;
  Bytes size;
};
struct CollectiveTask {
  RankGroup group;
  system::CollectiveKind kind = system::CollectiveKind::all_reduce;
  Bytes size;  // see system::CollectiveRequest
  system::SchedulingPolicy policy = system::SchedulingPolicy::lifo;
  Duration before{};  // what comes first, such as the reduction inside a node
  Duration after{};   // what follows before it counts as ended, such as the update of the weights
  // all_to_all: what each rank of the group sends to each other one, in place of `size`.
  std::shared_ptr<const system::PairSizes> sizes{};
};

enum class TaskKind : std::uint8_t { compute, pause, message, collective };

// What a task is, for reports: "top 3 backward". Tasks of a layered workload also say which layer and pass.
struct Label {
  std::string name;
  std::string layer{};  // empty: the name says all
  int layer_number = -1;
  PassKind pass = PassKind::forward;
};

// The machine of whose processes the ranks are. A message also costs its sender and its receiver each a time
// of computing, in threads of their own that share the cores: `message`, and `per_million` of its bytes. The
// kernel's `interrupts_per_million` ask nobody.
struct SharedHost {
  int cores = 0;  // 0: every rank has a machine of its own
  Duration message{};
  Duration per_million{};
  Duration interrupts_per_million{};

  bool carries_for_free() const { return message == Duration{} && per_million == Duration{}; }
};

class TaskGraph {
 public:
  explicit TaskGraph(int ranks) : ranks_(ranks) {}

  // Many tasks share a label.
  LabelId add_label(Label label);
  LabelId add_label(std::string name) { return add_label(Label{.name = std::move(name)}); }
  // Ranks in the order in which a ring goes.
  RankGroup add_group(std::vector<Rank> ranks);
  // All ranks, in order; along every dimension that the machine has.
  RankGroup add_group_of_all();
  // Symbolic: every group of ranks that differ only in these dimensions of the machine.
  RankGroup add_group_along(system::DimensionMask dimensions);

  TaskId add(const ComputeTask& task, LabelId label);
  TaskId add(const PauseTask& task, LabelId label);
  TaskId add(const MessageTask& task, LabelId label);
  TaskId add(const CollectiveTask& task, LabelId label);
  // One that waits for all of these.
  template <class T>
  TaskId add(const T& task, LabelId label, const std::vector<TaskId>& before) {
    const TaskId id = add(task, label);
    for (const TaskId one : before) depend(one, id);
    return id;
  }
  // `after` starts when `before`, and all else that it waits for, has ended.
  void depend(TaskId before, TaskId after) { edges_.push_back({before, after}); }
  void reserve(std::size_t tasks, std::size_t dependencies);
  void share_cores(const SharedHost& host) { host_ = host; }
  const SharedHost& host() const { return host_; }
  // Tasks from here on belong to the next training iteration.
  void begin_iteration() { iterations_.push_back(TaskId{size()}); }

  struct Edge {
    TaskId before;
    TaskId after;
  };
  // Exactly one of the two, or neither: then it is all ranks.
  struct Group {
    std::vector<Rank> ranks;
    system::DimensionMask dimensions;
    bool everyone() const { return ranks.empty() && dimensions.empty(); }
  };

  int ranks() const { return ranks_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(tasks_.size()); }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Group>& groups() const { return groups_; }
  const Group& group(RankGroup group) const { return groups_[static_cast<std::size_t>(group)]; }
  int group_size(RankGroup group) const;  // of one that is not along dimensions
  // Of every iteration the first task; empty: there is one.
  const std::vector<TaskId>& iterations() const { return iterations_; }
  // Does every task stand for all ranks?
  bool symbolic() const { return !names_ranks_; }

  TaskKind kind(TaskId id) const { return tasks_[index(id)].kind; }
  LabelId label(TaskId id) const { return tasks_[index(id)].label; }
  const std::string& name(TaskId id) const { return labels_[static_cast<std::size_t>(label(id))].name; }
  const std::vector<Label>& labels() const { return labels_; }
  // Of a task of that kind.
  ComputeTask compute(TaskId id) const;
  PauseTask pause(TaskId id) const { return {Duration{tasks_[index(id)].amount}}; }
  MessageTask message(TaskId id) const;
  const CollectiveTask& collective(TaskId id) const;
  const std::vector<CollectiveTask>& collectives() const { return collectives_; }
  // The place of a collective's task in collectives().
  std::size_t collective_number(TaskId id) const { return static_cast<std::size_t>(tasks_[index(id)].a); }

 private:
  struct Task {
    TaskKind kind;
    LabelId label;
    std::int32_t a;       // rank, or where the message comes from, or place in collectives_
    std::int32_t b;       // where the message goes
    std::int64_t amount;  // picoseconds or bytes
  };

  TaskId add(const Task& task);
  void require_rank(Rank rank);

  int ranks_;
  SharedHost host_;
  bool names_ranks_ = false;
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
  std::vector<CollectiveTask> collectives_;
  std::vector<Group> groups_;
  std::vector<Label> labels_;
  std::vector<TaskId> iterations_;
};

// Which training iteration a task belongs to, from 0.
int iteration_of(const TaskGraph& graph, TaskId id);

// The ranks of a group that is not along dimensions, in order.
std::vector<Rank> ranks_of(const TaskGraph& graph, RankGroup group);

// The kinds of collective that occur, each once, in the order in which they first do.
std::vector<system::CollectiveKind> collectives_used(const TaskGraph& graph);

}  // namespace overture::workload
