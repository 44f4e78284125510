// Training loops: from a workload in layers to the graph of what is computed and communicated, in which
// order, over some iterations. All ranks run the same loop, so the graph is symbolic and as small for a
// million of them as for two.
#pragma once

#include "overture/system/logical_dimensions.h"
#include "overture/workload/task_graph.h"
#include "overture/workload/workload.h"

namespace overture::workload {

struct LoopOptions {
  int passes = 1;   // iterations
  Duration step{};  // what every step of the loop costs on top; ASTRA-sim: one cycle
  system::SchedulingPolicy policy = system::SchedulingPolicy::lifo;
};

TaskGraph training_graph(const Workload& workload, const LoopOptions& options, int ranks,
                         const system::LogicalDimensions& logical);

// Which logical dimensions the collective of a pass spans.
system::DimensionMask dimensions_of(const Workload& workload, int layer, PassKind kind,
                                    const system::LogicalDimensions& logical);

}  // namespace overture::workload
