// For the tests of this folder: graphs read by the names of their tasks, and played on a network that is the
// same for every message.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "overture/base/check.h"
#include "overture/workload/task_graph.h"

namespace overture::workload {

inline std::vector<TaskId> tasks_named(const TaskGraph& graph, const std::string& name) {
  std::vector<TaskId> found;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.name(TaskId{i}) == name) found.push_back(TaskId{i});
  }
  return found;
}

inline std::vector<TaskId> tasks_of(const TaskGraph& graph, TaskKind kind) {
  std::vector<TaskId> found;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.kind(TaskId{i}) == kind) found.push_back(TaskId{i});
  }
  return found;
}

// Messages of a name, as "from>to bytes".
inline std::vector<std::string> messages_named(const TaskGraph& graph, const std::string& name) {
  std::vector<std::string> found;
  for (const TaskId id : tasks_named(graph, name)) {
    if (graph.kind(id) != TaskKind::message) continue;
    const MessageTask message = graph.message(id);
    found.push_back(std::to_string(overture::index(message.from)) + ">" +
                    std::to_string(overture::index(message.to)) + " " + std::to_string(message.size.count()));
  }
  return found;
}

inline Bytes sent_in(const TaskGraph& graph) {
  Bytes sum;
  for (const TaskId id : tasks_of(graph, TaskKind::message)) sum += graph.message(id).size;
  return sum;
}

// Where all tasks take as long as `length` says and start as soon as they may: when each ends. Nothing waits
// for a processor or a link. A cycle is an error of the graph.
class GraphPlay {
 public:
  using Length = std::function<Duration(const TaskGraph&, TaskId)>;

  explicit GraphPlay(const TaskGraph& graph, const Length& length = messages_are_free)
      : after_(graph.size()), before_(graph.size()), ends_(graph.size()), starts_(graph.size()) {
    for (const TaskGraph::Edge& edge : graph.edges()) {
      after_[index(edge.before)].push_back(index(edge.after));
      before_[index(edge.after)].push_back(index(edge.before));
    }
    std::vector<std::size_t> missing;
    for (const auto& before : before_) missing.push_back(before.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      if (missing[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    for (; done < ready.size(); ++done) {
      const std::uint32_t task = ready[done];
      for (const std::uint32_t earlier : before_[task])
        starts_[task] = std::max(starts_[task], ends_[earlier]);
      ends_[task] = starts_[task] + length(graph, TaskId{task});
      for (const std::uint32_t later : after_[task]) {
        if (--missing[later] == 0) ready.push_back(later);
      }
    }
    check(done == graph.size(), "no task waits for itself");
  }

  static Duration messages_are_free(const TaskGraph& graph, TaskId id) {
    switch (graph.kind(id)) {
      case TaskKind::compute: return graph.compute(id).duration;
      case TaskKind::pause: return graph.pause(id).duration;
      case TaskKind::collective: return graph.collective(id).before + graph.collective(id).after;
      case TaskKind::message: return {};
    }
    return {};
  }
  // A nanosecond for every byte.
  static Duration byte_a_nanosecond(const TaskGraph& graph, TaskId id) {
    if (graph.kind(id) == TaskKind::message) return Nanoseconds{graph.message(id).size.count()};
    if (graph.kind(id) == TaskKind::collective)
      return messages_are_free(graph, id) + Nanoseconds{graph.collective(id).size.count()};
    return messages_are_free(graph, id);
  }

  Duration end(TaskId id) const { return ends_[index(id)]; }
  Duration start(TaskId id) const { return starts_[index(id)]; }
  Duration end() const { return ends_.empty() ? Duration{} : *std::ranges::max_element(ends_); }

  // Must `first` have ended before `second` starts?
  bool precedes(TaskId first, TaskId second) const {
    std::vector<bool> seen(after_.size());
    std::vector<std::uint32_t> open{index(first)};
    while (!open.empty()) {
      const std::uint32_t task = open.back();
      open.pop_back();
      for (const std::uint32_t later : after_[task]) {
        if (later == index(second)) return true;
        if (!seen[later]) open.push_back(later);
        seen[later] = true;
      }
    }
    return false;
  }

 private:
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<Duration> ends_;
  std::vector<Duration> starts_;
};

}  // namespace overture::workload
