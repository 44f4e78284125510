// Plays a TaskGraph on a network: a task starts when all that it waits for has ended. A rank computes one
// task at a time, in the order in which they became ready; messages and collectives start at once and share
// the network as it lets them.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/network/network.h"
#include "overture/sim/event_queue.h"
#include "overture/workload/task_graph.h"

namespace overture::workload {

struct TaskRun {
  Duration makespan{};         // when the last task ended
  std::vector<Time> start;     // of every task; of computing, when it got its rank
  std::vector<Time> end;       // of every task
  std::vector<Duration> busy;  // of every rank, computing

  // Time in which the busiest rank did not compute.
  Duration exposed() const;
};

class TaskExecutor {
 public:
  // All outlive the executor.
  TaskExecutor(const TaskGraph& graph, network::Network& network, sim::EventQueue& events);

  // Starts the tasks that wait for nothing, now and in the order in which they were added. `done` is called
  // when the last task has ended; it may be empty.
  void start(Action done = {});

  std::uint32_t finished() const { return finished_; }
  const TaskRun& result() const { return run_; }

 private:
  void ready(TaskId id);
  void compute(TaskId id);
  void next_round(std::uint32_t task, std::int32_t round);
  void end(TaskId id);

  const TaskGraph& graph_;
  network::Network& network_;
  sim::EventQueue& events_;
  std::vector<network::GroupId> groups_;
  std::vector<std::uint32_t> first_;  // of every task in successors_
  std::vector<TaskId> successors_;
  std::vector<std::uint32_t> missing_;  // of every task: how many it still waits for
  std::vector<Time> free_at_;           // of every rank
  std::uint32_t finished_ = 0;
  TaskRun run_;
  Action done_;
};

// Runs the event queue dry. Throws UserError when tasks wait for each other and so never start.
TaskRun run_tasks(const TaskGraph& graph, network::Network& network, sim::EventQueue& events);

}  // namespace overture::workload
