// What came out of a simulated run: when every task of its graph ran, and what the system layer saw of its
// collectives. Tables, traces and reports are made from it, whatever the network was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/units.h"
#include "overture/system/system.h"
#include "overture/workload/task_graph.h"

namespace overture::simulation {

struct Timeline {
  Duration finished{};         // when the last task ended
  std::vector<Time> start;     // of every task; of computing, when it got its rank
  std::vector<Time> end;       // of every task; those that never ended have none
  std::vector<Duration> busy;  // of every rank, computing; of a symbolic graph one entry, for all ranks
  // Of every collective task, in the order of TaskGraph::collectives(); without chunks where nobody had a
  // peer.
  std::vector<system::CollectiveStats> collectives;
  std::vector<system::DimensionUse> dimensions;  // logical
  std::vector<Bytes> sent_by_rank_0;             // per physical dimension
  std::vector<std::int64_t> messages_by_rank_0;  // likewise
  int ranks = 0;
  system::Scope scope = system::Scope::rank_0;
  bool first_machine = false;  // with scope `all`: inside of machines, the first one stood for all
  std::uint64_t events = 0;
  bool complete = true;  // every task has ended
  std::string stuck{};   // what a fault keeps from ending, if that is why not

  // Of the rank that computes most.
  Duration compute() const;
  // Time in which that rank did not compute: exposed communication, and what the loop's own steps cost.
  Duration exposed() const { return finished - compute(); }
};

}  // namespace overture::simulation
