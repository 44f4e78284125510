// Plays a TaskGraph: a task starts when all that it waits for has ended. A rank computes one task at a time,
// in the order in which they became ready; messages go to the network and collectives to the system layer at
// once, and share the network as it lets them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/network/network.h"
#include "overture/simulation/core_pool.h"
#include "overture/simulation/stragglers.h"
#include "overture/simulation/timeline.h"
#include "overture/system/system.h"
#include "overture/workload/task_graph.h"

namespace overture::simulation {

class Executor {
 public:
  // All outlive the executor. The system tells it when collectives finish, and nobody else. `cores`, which
  // may be null, has a thread for every rank.
  Executor(const workload::TaskGraph& graph, system::System& system, network::Network& network,
           const Stragglers& stragglers, CorePool* cores = nullptr);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Starts the tasks that wait for nothing, now and in the order in which they were added. The rest happens
  // as the event queue runs.
  void start();

  std::uint32_t finished() const { return finished_; }
  bool done() const { return finished_ == graph_.size(); }
  // What is under way or never started, for a deadlock report.
  std::string waiting_for() const;
  // A rank that is dead has had something to compute: who, and what. Empty if there is none.
  const std::string& died() const { return died_; }
  // As far as it came: what a rank still had to compute is not counted.
  Timeline take();

 private:
  using TaskId = workload::TaskId;

  void link_tasks();
  void add_groups();
  void ready(TaskId id);
  void compute(TaskId id);
  Time compute_until(const workload::ComputeTask& task, TaskId id, Time start, std::size_t rank) const;
  void compute_on_shared_cores(TaskId id);
  void issue(TaskId id);
  void finished(system::CollectiveId collective, const system::CollectiveStats& stats);
  void end(TaskId id);
  Time now() const { return system_.clock().now(); }

  // How the system knows a group of the graph.
  struct Span {
    system::DimensionMask dimensions;
    system::GroupNumber group = system::GroupNumber::none;
  };

  const workload::TaskGraph& graph_;
  system::System& system_;
  network::Network& network_;
  const Stragglers& stragglers_;
  std::vector<Span> spans_;           // by group
  std::vector<std::uint32_t> first_;  // of every task in successors_
  std::vector<TaskId> successors_;
  std::vector<std::uint32_t> missing_;      // of every task: how many it still waits for
  std::vector<Time> free_at_;               // of every rank
  CorePool* cores_;                         // that the ranks share; null: each has its own
  std::vector<TaskId> task_of_collective_;  // by CollectiveId
  std::uint32_t finished_ = 0;
  std::string died_;
  Timeline timeline_;
};

}  // namespace overture::simulation
