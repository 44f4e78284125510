// A replayed task graph as people look at it: a trace, a process per rank, with arrows from what a task
// waited for last; and for the busiest rank how long each kind of task computed, communicated, and was waited
// for.
#pragma once

#include <string>

#include "overture/report/trace.h"
#include "overture/simulation/timeline.h"

namespace overture::report {

// Of every task, the one of those it depends on that ended last; its own id where there is none.
std::vector<workload::TaskId> waited_for(const workload::TaskGraph& graph, const simulation::Timeline& run);

// Writes trace.json.gz into `folder`: of large graphs some ranks, evenly spread; the first has the counters.
// Throws UserError.
TraceWritten write_task_trace(const workload::TaskGraph& graph, const simulation::Timeline& run,
                              const std::vector<workload::TaskId>& waited,
                              const std::vector<TraceCounter>& counters, const std::filesystem::path& folder);

// What one label took of the busiest rank's time.
struct LabelTime {
  std::string name;
  Duration compute{};
  Duration communication{};  // in which at least one of its messages or collectives was under way
  Duration exposed{};        // the rank waited for it before its next computation, or at the end
};

// In order of labels; without those of which the busiest rank saw nothing. The computed and exposed times add
// up to the makespan.
std::vector<LabelTime> label_times(const workload::TaskGraph& graph, const simulation::Timeline& run,
                                   const std::vector<workload::TaskId>& waited);

}  // namespace overture::report
